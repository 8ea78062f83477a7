import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

typealias WeChatPayControlCall = ControlCall<SimulatedWeChatPay, WeChatPaySimulatorErrorCode>
typealias WeChatPayControlRoute = ControlRoute<SimulatedWeChatPay, WeChatPaySimulatorErrorCode>

/// The routes, in several files by subject.
enum WeChatPayControlRoutes {}

extension WeChatPayControlCall {
  var service: SimulatedWeChatPay { simulator }

  var orderKey: OrderKey {
    OrderKey(mchid: parameters["mchid"] ?? "", outTradeNo: parameters["out_trade_no"] ?? "")
  }

  /// One page of a list. A `limit` that is no number is an error.
  func page<Item>(
    _ name: String, of items: [Item], id: (Item) -> String, json: (Item) -> JSONValue
  ) throws(CodedError<WeChatPaySimulatorErrorCode>) -> HTTPResponse {
    try page(name, of: items, limit: target["limit"].map { Int($0) ?? 0 } ?? 100, id: id, json: json)
  }

  static var pageQuery: [(name: String, meaning: String)] {
    [
      ("mchid?", "of one merchant"), ("after?", "the id of the last item of the page before"),
      ("limit?", "1 to 500, otherwise 100"),
    ]
  }
}
