import PaymentPrimitives
import TOMLConfiguration

/// The keys of `[console]`.
enum ConsoleKeys {
  static let all = [
    ConfigurationKey(
      "console", .table, reload: .restart, example: #"origin = "https://console.example.com""#,
      meaning: BilingualText(
        "Serves the operators' console on a port of its own. Without this table there is none.",
        "在独立端口提供操作员控制台。不填写则不提供。")),
    ConfigurationKey(
      "console.address", .text(bytes: 1...255), standard: .value(#""127.0.0.1""#), reload: .restart,
      example: #"address = "127.0.0.1""#,
      meaning: BilingualText(
        "The IP address to listen on. A proxy with TLS stands in front, in your own network.",
        "监听的 IP 地址。前面应有位于内网、启用 TLS 的代理。")),
    ConfigurationKey(
      "console.port", .integer(0...65535), standard: .value("8090"), reload: .restart, example: "port = 8090",
      meaning: BilingualText("The TCP port to listen on.", "监听的 TCP 端口。")),
    ConfigurationKey(
      "console.origin", .text(bytes: 8...255), standard: .required, reload: .restart,
      example: #"origin = "https://console.example.com""#,
      meaning: BilingualText(
        "The address that browsers show, without a path. Forms from any other are refused.",
        "浏览器中显示的地址，不含路径。来自其他地址的表单会被拒绝。")),
    ConfigurationKey(
      "console.approvals", .word(["on", "off"]), standard: .value(#""on""#), reload: .restart,
      example: #"approvals = "on""#,
      meaning: BilingualText(
        "Whether some actions need a second operator. `doctor` warns of `off`.",
        "部分操作是否需要第二位操作员复核。设为 `off` 时 `doctor` 会警告。")),
    ConfigurationKey(
      "console.refund_minor_units", .integer(0...100_000_000), standard: .value("20000"), reload: .restart,
      example: "refund_minor_units = 20000",
      meaning: BilingualText(
        "What one operator may refund of one payment, in fen. More needs a second operator.",
        "一位操作员对一笔支付最多可退的金额（分）。超出部分需第二位操作员复核。")),
  ]
}
