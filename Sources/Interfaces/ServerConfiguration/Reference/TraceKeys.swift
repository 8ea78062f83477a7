import PaymentPrimitives
import TOMLConfiguration

/// The keys of `[otlp]`.
enum TraceKeys {
  static let all = [
    ConfigurationKey(
      "otlp", .table, reload: .restart, example: #"endpoint = "http://127.0.0.1:4318""#,
      meaning: BilingualText(
        "Sends traces to a collector by OTLP over HTTP. Without this table nothing is traced, and deliveries carry no "
          + "`traceparent`.",
        "通过 OTLP/HTTP 向采集器发送链路追踪数据。不填写则不追踪，发货通知也不带 `traceparent`。")),
    ConfigurationKey(
      "otlp.endpoint", .text(bytes: 8...2048), standard: .required, reload: .restart,
      example: #"endpoint = "http://127.0.0.1:4318""#,
      meaning: BilingualText(
        "The address of the collector. `/v1/traces` is added unless it ends with it.",
        "采集器地址。结尾不是 `/v1/traces` 时自动补上。")),
    ConfigurationKey(
      "otlp.sample", .decimal(0...1), standard: .value("1.0"), reload: .restart, example: "sample = 0.1",
      meaning: BilingualText(
        "The share of traces that are sent. The trace's id decides: an order is sent whole or not at all.",
        "发送的追踪比例。由 trace id 决定：一个订单要么完整发送，要么完全不发送。")),
    ConfigurationKey(
      "otlp.service", .text(bytes: 1...255), standard: .value(#""counterfoil""#), reload: .restart,
      example: #"service = "counterfoil""#,
      meaning: BilingualText("The name of this service in traces (`service.name`).", "追踪数据中的服务名（`service.name`）。")),
    ConfigurationKey(
      "otlp.headers", .table, reload: .restart,
      example: #"Authorization = { file = "collector.secret" }"#,
      meaning: BilingualText(
        "Header fields of each request, at most 16. The name is free, and the value is the place of a secret.",
        "每次请求附带的请求头，最多 16 个。名称自定，值为机密内容的存放位置。")),
  ]
}
