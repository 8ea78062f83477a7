import HTTPMessages
import WeChatPayProtocol

/// One call of a merchant after the gate.
struct MerchantCall: Sendable {
  let route: APIRoute
  let request: HTTPRequest
  let merchant: SimulatedMerchant
  let certificate: SimulatedMerchant.Certificate
  /// Scheme and host of the merchant's request.
  let origin: String
  let fault: WeChatPayFault?

  var body: [UInt8] { request.body }

  /// Refuses the parameters of partner mode, which a merchant of its own must not send.
  func refusePartnerQuery() throws(APIProblem) {
    for name in ["sub_mchid", "sp_mchid"] where route.target[name] != nil {
      throw .parameter(name, "多余的参数", location: "query")
    }
  }

  /// Checks that `mchid` of the query is the merchant that signed.
  func checkQueryMerchant() throws(APIProblem) {
    guard route.target["mchid"] == merchant.mchid else {
      throw .parameter("mchid", "缺少或与 Authorization 中的商户号不一致", location: "query")
    }
  }
}
