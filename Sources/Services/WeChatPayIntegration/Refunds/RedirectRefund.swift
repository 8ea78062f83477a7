import PaymentDatabase
package import PaymentEngine
package import PaymentModel
import PaymentPrimitives
import StrictJSON
package import WeChatPayProtocol

/// What became of a wish to send a refund to a bank account.
package enum RefundRedirection: Hashable, Sendable {
  /// WeChat Pay has sent it on its way again.
  case sent(Refund)
  /// WeChat Pay says that it is in another state: nothing was sent. After a lost answer this tells that the first
  /// request took effect.
  case notStuck(Refund)

  /// The refund as it stands now.
  package var refund: Refund {
    switch self {
    case .sent(let refund), .notStuck(let refund): refund
    }
  }
}

extension PaymentEngine {
  /// Lets WeChat Pay send a stuck refund to a bank account.
  ///
  /// WeChat Pay is asked for the state first, so a repetition is harmless. Who acts is in the journal before the
  /// request is sent; the card is nowhere.
  ///
  /// - Throws: `storeNotConfigured`; `refundUnknown`; `refundNotRedirected` with WeChat Pay's reason;
  ///   `weChatPayUnanswered`: then send the same again.
  package func redirectRefund(
    _ number: String, to destination: RefundDestination, for app: AppPolicy, reason: OperatorReason
  ) async throws -> RefundRedirection {
    let known = try await knownRefund(number, of: app)
    guard let gateway = weChatPay?.gateways[app.id] else { throw CodedError<EngineErrorCode>(.storeNotConfigured) }
    guard await askAbout(known, for: app) else {
      throw CodedError<EngineErrorCode>(.weChatPayUnanswered, "The refund's state could not be read.")
    }
    let refund = try await knownRefund(number, of: app)
    guard refund.state == .stuck, let refundId = refund.storeNumber else { return .notStuck(refund) }
    guard let key = await gateway.encryptionKey(),
      let call = WeChatPayCall<RefundFacts>.abnormalRefund(
        refundId: refundId, outRefundNo: number, to: destination, key: key)
    else { throw CodedError<EngineErrorCode>(.weChatPayUnanswered, "There is no valid key of WeChat Pay.") }
    try await note(refund, to: destination, by: reason)
    let reply = await gateway.send(call)
    switch reply.outcome.result {
    case .answered(let facts): await apply(facts, reply, app: app)
    case .refused(let error): throw CodedError<EngineErrorCode>(.refundNotRedirected, "\(error)")
    case .unknown(let why):
      throw CodedError<EngineErrorCode>(
        .weChatPayUnanswered, "Send the same again: if the first took effect, nothing is sent. \(why.summary)")
    }
    return .sent(try await knownRefund(number, of: app))
  }

  private func knownRefund(_ number: String, of app: AppPolicy) async throws -> Refund {
    let appEnvironment = app.homeEnvironment
    guard let refund = try await read({ try $0.refund(number, in: appEnvironment) }) else {
      throw CodedError<EngineErrorCode>(.refundUnknown)
    }
    return refund
  }

  private func note(_ refund: Refund, to destination: RefundDestination, by reason: OperatorReason) async throws {
    let word = destination == .merchantAccount ? "merchantAccount" : "payerCard"
    let details: [(String, JSONValue?)] = [
      ("operator", .string(reason.name)), ("reason", .string(reason.text)), ("number", .string(refund.number)),
      ("destination", .string(word)),
    ]
    try await transact {
      try $0.insert(
        JournalEntry(
          .refundRedirected, in: refund.appEnvironment, at: $0.now, order: refund.order, payment: refund.payment,
          details: JSONValue.members(details).text))
    }
    log(LogEvent(.info, "refund.redirected", [("app", refund.appEnvironment.app.text), ("number", refund.number)]))
  }
}
