package import PaymentPrimitives
import SimulatorCore

/// The errors of the control API and of the simulator itself. The merchants' API answers WeChat Pay's own codes
/// (`APIProblem`).
package enum WeChatPaySimulatorErrorCode: String, ErrorCode {
  /// No route has this path.
  case routeUnknown = "wechat_pay_simulator_route_unknown"
  /// The path exists, but not with this method.
  case methodNotAllowed = "wechat_pay_simulator_method_not_allowed"
  /// The body is larger than the control API reads.
  case bodyTooLarge = "wechat_pay_simulator_body_too_large"
  /// The body is not JSON that the simulator accepts.
  case bodyUnreadable = "wechat_pay_simulator_body_unreadable"
  /// A field is missing or has the wrong format.
  case fieldInvalid = "wechat_pay_simulator_field_invalid"
  /// There is no order with that number or link.
  case orderUnknown = "wechat_pay_simulator_order_unknown"
  /// There is no notification with that id.
  case notificationUnknown = "wechat_pay_simulator_notification_unknown"
  /// There is no behaviour setting of that name.
  case behaviourUnknown = "wechat_pay_simulator_knob_unknown"
  /// A limit of the simulator is reached.
  case full = "wechat_pay_simulator_full"
  /// The log is not a simulator's, or was changed.
  case logUnreadable = "wechat_pay_simulator_log_unreadable"
  /// The log was written by a later version.
  case logTooNew = "wechat_pay_simulator_log_too_new"
  /// The log could not be written or read.
  case logUnavailable = "wechat_pay_simulator_log_unavailable"

  package var meaning: BilingualText {
    switch self {
    case .routeUnknown:
      BilingualText("The simulated WeChat Pay has nothing at this path.", "微信支付模拟器没有此路径。")
    case .methodNotAllowed:
      BilingualText("This path of the simulated WeChat Pay does not support that method.", "微信支付模拟器的此路径不支持该方法。")
    case .bodyTooLarge:
      BilingualText("The body is too large for the simulated WeChat Pay.", "请求内容超过微信支付模拟器的上限。")
    case .bodyUnreadable:
      BilingualText(
        "The body is not JSON that the simulated WeChat Pay accepts.", "请求内容不是微信支付模拟器可接受的 JSON。")
    case .fieldInvalid: BilingualText("A field is missing or malformed.", "某个字段缺失或格式不符。")
    case .orderUnknown: BilingualText("The simulator has no such order.", "模拟器中没有此订单。")
    case .notificationUnknown: BilingualText("The simulator has no such notification.", "模拟器中没有此通知。")
    case .behaviourUnknown: BilingualText("There is no behaviour setting of that name.", "没有这个名称的开关。")
    case .full: BilingualText("The simulator is full.", "模拟器已满。")
    case .logUnreadable: BilingualText("The simulator's log cannot be read.", "模拟器的日志无法读取。")
    case .logTooNew:
      BilingualText("The simulator's log was written by a later version.", "模拟器的日志由更新的版本写入。")
    case .logUnavailable:
      BilingualText("The simulator's log could not be written or read.", "模拟器的日志无法写入或读取。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .routeUnknown, .methodNotAllowed:
      BilingualText("GET /simulator/wechat-pay lists all calls.", "GET /simulator/wechat-pay 会列出全部接口。")
    case .bodyTooLarge: BilingualText("Send less.", "请减少发送的内容。")
    case .bodyUnreadable:
      BilingualText("Send one JSON object in UTF-8, no name twice.", "请发送一个 UTF-8 编码、名称不重复的 JSON 对象。")
    case .fieldInvalid: BilingualText("Correct the named field.", "请修正所指明的字段。")
    case .orderUnknown:
      BilingualText("Create the order first, and copy its whole link.", "请先下单，并完整复制链接。")
    case .notificationUnknown:
      BilingualText(
        "GET /simulator/wechat-pay/notifications lists all.", "GET /simulator/wechat-pay/notifications 会列出全部通知。")
    case .behaviourUnknown:
      BilingualText("GET /simulator/wechat-pay/knobs lists all.", "GET /simulator/wechat-pay/knobs 会列出全部开关。")
    case .full: BilingualText("Start with an empty log.", "请从空日志重新开始。")
    case .logUnreadable:
      BilingualText("Use the file as the simulator left it, or start with an empty one.", "请使用模拟器原样留下的文件，或从空文件开始。")
    case .logTooNew: BilingualText("Update Counterfoil, or start with an empty log.", "请升级 Counterfoil，或从空日志开始。")
    case .logUnavailable:
      BilingualText("Check the disk, then start the simulator again.", "请检查磁盘，然后重新启动模拟器。")
    }
  }

  package var retry: RetryAdvice { .never }
}

extension WeChatPaySimulatorErrorCode: ControlErrorCode {
  /// The HTTP status that the control API answers with.
  package var status: Int {
    switch self {
    case .fieldInvalid, .bodyUnreadable: 400
    case .routeUnknown, .orderUnknown, .notificationUnknown, .behaviourUnknown: 404
    case .methodNotAllowed: 405
    case .bodyTooLarge: 413
    case .logUnreadable, .logTooNew: 500
    case .full, .logUnavailable: 503
    }
  }
}
