import PaymentPrimitives
import SimulatorCore
import StrictJSON

/// An API error in WeChat Pay's form: status, code, message, and the internal number at the end of `Request-ID`.
struct APIProblem: Error, Hashable, Sendable {
  let status: Int
  let word: String
  let message: String
  /// The last part of `Request-ID`.
  let number: Int64
  var detail: JSONValue?

  init(_ status: Int, _ word: String, message: String, number: Int64 = 268_435_456, detail: JSONValue? = nil) {
    self.status = status
    self.word = word
    self.message = message
    self.number = number
    self.detail = detail
  }

  func json(otherSpelling: Bool) -> JSONValue {
    .members([
      ("code", .string(otherSpelling ? Self.otherSpellings[word] ?? word : word)), ("message", .string(message)),
      ("detail", detail),
    ])
  }

  /// WeChat Pay has two spellings for some of its codes.
  private static let otherSpellings = [
    "ORDERPAID": "ORDER_PAID", "ORDER_CLOSED": "ORDERCLOSED", "ORDER_NOT_EXIST": "ORDERNOTEXIST",
    "SYSTEM_ERROR": "SYSTEMERROR", "NOT_ENOUGH": "NOTENOUGH", "RULE_LIMIT": "RULELIMIT",
    "FREQUENCY_LIMITED": "RATELIMIT_EXCEEDED", "INVALID_REQUEST": "INVALIDREQUEST",
    "OUT_TRADE_NO_USED": "OUTTRADENOUSED",
  ]

  // MARK: errors of several calls

  /// A parameter that is missing or has the wrong format.
  ///
  /// - Parameter field: a JSON pointer, or a name.
  static func parameter(
    _ field: String, _ issue: String, location: String = "body", value: JSONValue? = nil
  ) -> APIProblem {
    APIProblem(
      400, "PARAM_ERROR", message: "参数错误", number: 268_435_461,
      detail: .members([
        ("location", .string(location)), ("field", .string(field)), ("value", value), ("issue", .string(issue)),
      ]))
  }

  static func signature(_ issue: String, information: JSONValue? = nil) -> APIProblem {
    APIProblem(
      401, "SIGN_ERROR", message: "签名错误，请检查后再试", number: 268_443_699,
      detail: .members([
        ("detail", .members([("issue", .string(issue))])), ("field", "signature"), ("location", "authorization"),
        ("sign_information", information),
      ]))
  }

  static let orderPaid = APIProblem(400, "ORDERPAID", message: "该订单已支付", number: 268_449_538)
  static let orderClosed = APIProblem(400, "ORDER_CLOSED", message: "该订单已关闭", number: 268_447_914)
  static let orderNotFound = APIProblem(404, "ORDER_NOT_EXIST", message: "订单不存在", number: 268_512_771)
  static let systemError = APIProblem(500, "SYSTEM_ERROR", message: "系统异常，请稍后重试")
  static let notEnough = APIProblem(403, "NOT_ENOUGH", message: "基本账户余额不足，请充值后重新发起")
  static let frequencyLimited = APIProblem(429, "FREQUENCY_LIMITED", message: "频率超限", number: 268_447_840)
  static let serviceUnavailable = APIProblem(503, "SERVICE_UNAVAILABLE", message: "服务不可用，请稍后重试")
}

extension APIProblem: CommandFailure {
  init(_ failure: LogFailure) { self = .systemError }
}
