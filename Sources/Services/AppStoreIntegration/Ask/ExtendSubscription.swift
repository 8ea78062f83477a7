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
  /// Apple extends at each request, so the expected end is what makes a repetition harmless. Of several operators who
  /// ask at the same time the database lets one send (`ExtensionAttempt`).
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
    let attempt = ExtensionAttempt(
      key, endingAt: expected, holder: dependencies.randomBytes(16).hexadecimal)
    let begun = dependencies.now()
    let decision = try await transact { try attempt.begin(in: $0) }
    let before: (end: Timestamp, payment: PaymentKey)
    do { before = try await askPeriod(original, gateway, in: world, for: app) } catch {
      if decision == .mine { try? await transact { try attempt.end(with: nil, in: $0) } }
      throw error
    }
    guard before.end == expected else {
      if decision == .mine { try? await transact { try attempt.end(with: nil, in: $0) } }
      return .endsElsewhere(before.end)
    }
    switch decision {
    case .mine: break
    case .extended(let until): return .endsElsewhere(until)
    case .underWay:
      throw CodedError<EngineErrorCode>(
        .appStoreUnanswered, "Another extension of this subscription has not ended. Ask again with the same end.")
    }
    guard dependencies.now() - begun <= ExtensionAttempt.sendsWithin else {
      throw CodedError<EngineErrorCode>(.appStoreUnanswered, "Apple's answers took too long. Nothing was sent.")
    }
    let end = try await send(call, as: attempt, by: days, gateway, in: world)
    let details: [(String, JSONValue?)] = [
      ("operator", .string(reason.name)), ("reason", .string(reason.text)), ("days", .integer(days)),
      ("from", .string(expected.iso8601)), ("until", .string(end.iso8601)),
    ]
    try await transact {
      try attempt.end(with: end, in: $0)
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

  /// Sends the extension. An attempt without a known outcome stays, so that nobody sends another one at once.
  ///
  /// - Returns: the new end.
  private func send(
    _ call: AppStoreServerCall<ExtendRenewalDateResponse>, as attempt: ExtensionAttempt, by days: Int64,
    _ gateway: AppStoreGateway, in environment: StoreEnvironment
  ) async throws -> Timestamp {
    let problem: String
    switch await gateway.send(call, environment: environment, priority: .reconciliation).outcome {
    case .answered(let answer) where answer.success: return answer.effectiveDate ?? attempt.expected + .days(days)
    case .answered: problem = "Apple's answer is no success."
    case .refused(let error): problem = "\(error)"
    case .unknown(let why):
      if case .busy = why { try? await transact { try attempt.end(with: nil, in: $0) } }
      throw CodedError<EngineErrorCode>(
        .appStoreUnanswered, "Ask again with the same end: if Apple has extended it, nothing is sent. \(why.summary)")
    }
    try? await transact { try attempt.end(with: nil, in: $0) }
    throw CodedError<EngineErrorCode>(.extensionNotPossible, problem)
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
