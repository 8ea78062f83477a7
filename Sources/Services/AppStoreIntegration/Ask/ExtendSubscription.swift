package import AppStoreProtocol
import PaymentDatabase
package import PaymentEngine
import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// What became of a wish to put off a renewal date.
package enum SubscriptionExtension: Hashable, Sendable {
  /// Apple has put it off; the period ends then.
  case extended(until: Timestamp)
  /// The period does not end where the operator expected: nothing was asked. After a lost answer this tells that the
  /// first request took effect.
  case endsElsewhere(Timestamp)
}

extension PaymentEngine {
  /// Lets Apple put off the end of a subscription's current period, if it ends where the operator expects.
  ///
  /// Apple extends at each request, so the expected end is what makes a repetition harmless. Two operators who ask in
  /// the same second can both be served.
  ///
  /// - Parameter environment: nil for the app's own.
  /// - Throws: `paymentUnknown` for what is no subscription here; `storeNotConfigured`; `extensionNotPossible` with
  ///   Apple's reason; `appStoreUnanswered`: then ask again with the same end.
  package func extendSubscription(
    _ original: TransactionIdentifier, endingAt expected: Timestamp, by days: Int64, _ cause: ExtendReasonCode,
    in environment: StoreEnvironment?, for app: AppPolicy, reason: OperatorReason
  ) async throws -> SubscriptionExtension {
    let world = environment ?? app.home
    let key = PaymentKey(app: app.id, store: .appStore, environment: world, transaction: original)
    let isKnown = try await read { try $0.subscription(key) != nil }
    guard isKnown else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    let identifier = "\(original.text)-\(expected.milliseconds)"
    let call: AppStoreServerCall<ExtendRenewalDateResponse>
    do throws(CodedError<AppStoreServerRequestErrorCode>) {
      call = try .extendRenewalDate(
        of: original, RenewalExtensionRequest(days: days, reason: cause, identifier: identifier))
    } catch {
      throw CodedError<EngineErrorCode>(.extensionNotPossible, "\(error.code.meaning.english)")
    }
    let gateway = try extendingGateway(of: app)
    let before = try await askPeriod(original, gateway, in: world, for: app)
    guard before.end == expected else { return .endsElsewhere(before.end) }
    let end: Timestamp
    switch await gateway.send(call, environment: world, priority: .reconciliation).outcome {
    case .answered(let answer) where answer.success:
      end = answer.effectiveDate ?? expected + .days(days)
    case .answered: throw CodedError<EngineErrorCode>(.extensionNotPossible, "Apple's answer is no success.")
    case .refused(let error): throw CodedError<EngineErrorCode>(.extensionNotPossible, "\(error)")
    case .unknown(let why):
      throw CodedError<EngineErrorCode>(
        .appStoreUnanswered, "Ask again with the same end: if Apple has extended it, nothing is sent. \(why.summary)")
    }
    let details: [(String, JSONValue?)] = [
      ("operator", .string(reason.name)), ("reason", .string(reason.text)), ("days", .integer(days)),
      ("from", .string(expected.iso8601)), ("until", .string(end.iso8601)),
    ]
    try await transact {
      try $0.insert(
        JournalEntry(
          .subscriptionExtended, in: before.payment.appEnvironment, at: $0.now, order: nil, payment: before.payment,
          details: JSONValue.members(details).text))
    }
    log(LogEvent(.info, "appStore.subscriptionExtended", [("app", app.id.text), ("transaction", original.text)]))
    // The ledger learns the new end at once if Apple tells it now; otherwise by its notification.
    _ = try? await askPeriod(original, gateway, in: world, for: app)
    return .extended(until: end)
  }

  /// The key for the App Store Server API.
  func extendingGateway(of app: AppPolicy) throws -> AppStoreGateway {
    guard let gateway = appStore?.gateways[app.id], gateway.settings != nil else {
      throw CodedError<EngineErrorCode>(.storeNotConfigured, "The app has no key for the App Store Server API.")
    }
    return gateway
  }

  /// Asks Apple for the latest transaction of a subscription, and takes it in.
  private func askPeriod(
    _ original: TransactionIdentifier, _ gateway: AppStoreGateway, in environment: StoreEnvironment,
    for app: AppPolicy
  ) async throws -> (end: Timestamp, payment: PaymentKey) {
    let call: AppStoreServerCall<StatusResponse> = try .subscriptionStatuses(ofCustomerWith: original.text)
    let answer: StatusResponse
    switch await gateway.send(call, environment: environment, priority: .reconciliation).outcome {
    case .answered(let told): answer = told
    case .refused(let error) where error.meansUnknownHere: throw CodedError<EngineErrorCode>(.paymentUnknown)
    case .refused(let error): throw CodedError<EngineErrorCode>(.appStoreUnanswered, "\(error)")
    case .unknown(let why): throw CodedError<EngineErrorCode>(.appStoreUnanswered, why.summary)
    }
    let latest = answer.data.flatMap(\.lastTransactions).first { $0.originalTransactionId == original.text }
    guard let signed = latest?.signedTransactionInfo else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    guard let facts = try await verified(signed, for: app), let end = facts.expiresDate else {
      throw CodedError<EngineErrorCode>(.appStoreUnanswered, "The signed transaction does not verify.")
    }
    var update = PaymentUpdate(facts: facts, evidence: signed, origin: .storeAnswer)
    if let renewal = latest?.signedRenewalInfo.flatMap({ verifiedRenewal($0, for: app) }),
      renewal.subscription == facts.originalKey
    {
      update.renewal = renewal
    }
    return (end, try await fulfil(update, for: app).payment.key)
  }
}
