import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayIntegration
import WeChatPayProtocol

/// An operator's action on a refund that could not reach its payer.
enum OperatorRefundRoutes {
  static let all: [Route] = [redirect]

  private static let redirect = Route(
    "POST", "/v1/operator/refunds/{refundNumber}/redirect", name: "RedirectRefund", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Sends a stuck refund to a bank account. WeChat Pay is asked for its state first: repeat it at will.",
      request: "RedirectRefund", answer: "RedirectedRefund",
      codes: [.storeNotConfigured, .refundUnknown, .refundNotRedirected, .weChatPayUnanswered])
  ) { call in
    let app = try call.authenticatedApp()
    let (destination, reason) = try call.body { (json) throws(JSONFieldError) in
      let fields = try JSONFields(json)
      return (try account(fields), try fields.string("reason", bytesMax: 1024))
    }
    let result = try await call.server.engine.redirectRefund(
      call.parameter("refundNumber"), to: destination, for: app,
      reason: OperatorReason(name: call.operatorName ?? "", text: reason))
    let isSent = if case .sent = result { true } else { false }
    return call.answer(.members([("redirected", .bool(isSent)), ("refund", RefundBody(result.refund).json)]))
  }

  private static func account(_ fields: JSONFields) throws(JSONFieldError) -> RefundDestination {
    switch try fields.string("destination", bytesMax: 32) {
    case "merchantAccount": return .merchantAccount
    case "payerCard":
      let card = try fields.optionalFields("card")
      guard let card,
        let known = PayerCard(
          bank: try card.string("bank", bytesMax: 16), account: try card.string("account", bytesMax: 32),
          holder: try card.string("holder", bytesMax: 160))
      else { throw JSONFieldError(path: "card", expected: "bank, such as CMB_DEBIT; account, 8 to 32 digits; holder") }
      return .payerCard(known)
    default: throw JSONFieldError(path: "destination", expected: "payerCard or merchantAccount")
    }
  }
}
