package import AppStoreProtocol
package import PaymentPrimitives
import SimulatorCore

extension SimulatedAppStore {
  /// Charges a subscription for its next period.
  ///
  /// In the last day of a period, the next one begins at its end. After its end, the next one begins now, as a recovery
  /// (rules AS-SUB-3, AS-SUB-4).
  /// - Returns: the new transaction.
  /// - Throws: `subscriptionUnknown`, `notRenewing`, `renewalTooEarly`, or `full`.
  package func renew(
    _ line: TransactionIdentifier
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      try Self.decideRenewal(of: line, &decision)
    }
  }

  private static func decideRenewal(
    of id: TransactionIdentifier, _ decision: inout CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    let line = try decision.line(id)
    let latest = try decision.transaction(line.latest)
    guard let period = latest.period, line.autoRenews, line.standing.end == nil, line.sharedFrom == nil,
      latest.revocation?.isWhole != true,
      decision.now < period.expiresDate + decision.state.days(60, latest.environment)
    else { throw CodedError(.notRenewing) }
    let earliest = max(latest.purchaseDate, period.expiresDate - SimulatorLimits.renewalLead)
    guard decision.now >= earliest else {
      throw CodedError(.renewalTooEarly, "It can renew from \(earliest.iso8601) on; it is \(decision.now.iso8601).")
    }
    return try decision.renew(line, latest, isRecovery: decision.now >= period.expiresDate)
  }

  /// Turns a subscription's renewal on or off for its owner; a change sends a notification.
  ///
  /// - Throws: `subscriptionUnknown`, or `notRenewing` when it has ended.
  package func setAutoRenew(
    _ line: TransactionIdentifier, to isOn: Bool
  ) async throws(CodedError<SimulatorErrorCode>) {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      let known = try decision.line(line)
      guard known.autoRenews != isOn else { return }
      let latest = try decision.transaction(known.latest)
      if isOn, let period = latest.period, period.expiresDate <= decision.now { throw CodedError(.notRenewing) }
      guard known.sharedFrom == nil else { throw CodedError(.notRenewing, "The buyer decides on it.") }
      let notification = decision.notification(
        .didChangeRenewalStatus(isOn: isOn), bundleId: known.owner.bundleId, environment: latest.environment,
        transaction: latest.id)
      decision.event = .autoRenewSet(line, isOn, notification)
    }
  }

  /// A subscription's signed renewal info, with its status.
  ///
  /// - Parameter device: the UUID of the calling device; nil for a server or notification.
  package func signedRenewalInfo(
    _ line: TransactionIdentifier, for device: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> (status: Status, signedRenewalInfo: String) {
    guard let known = state.lines[line] else { throw CodedError(.subscriptionUnknown) }
    let moment = now()
    do throws(SimulatorState.Inconsistency) {
      var payload = try state.renewalPayload(of: known, signedAt: moment)
      if let device {
        let nonce = AppStoreUUID(random: dependencies.randomBytes(16))
        payload.deviceVerificationNonce = nonce.text
        payload.deviceVerification = AppStoreSigner.deviceVerification(nonce: nonce, device: device)
      }
      return (try state.status(of: known, at: moment), signer.sign(payload, at: moment))
    } catch { throw CodedError(.logUnreadable, error.description) }
  }
}

extension CommandContext {
  /// Charges a subscription for its next period (rules AS-SUB-3, AS-SUB-4, AS-CAL-1).
  mutating func renew(
    _ line: SimulatedLine, _ latest: SimulatedTransaction, isRecovery: Bool
  ) throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    guard let period = latest.period,
      let product = state.products[line.owner.bundleId]?[line.next ?? latest.product]
    else { throw CodedError(.notRenewing) }
    guard state.transactionOrder.count < SimulatorLimits.transactionsMax else {
      throw CodedError(.full, "It has \(SimulatorLimits.transactionsMax) transactions.")
    }
    // Rule AS-BILL-3: in the grace period the customer keeps access, so the renewal charges that time.
    let isInGrace = line.standing.failure.map { !$0.isGraceOver && ($0.graceUntil.map { now < $0 } ?? false) } ?? false
    let start = isRecovery && !isInGrace ? second : period.expiresDate
    let (price, offer) = state.renewalCharge(of: line, latest)
    var transaction = SimulatedTransaction(
      id: state.lastNumbers.transactionId(latest.environment, step: step()), originalId: line.id,
      owner: line.owner, product: product.id, type: latest.type, quantity: 1, price: price,
      purchaseDate: start, originalPurchaseDate: latest.originalPurchaseDate,
      period: self.period(of: product, from: start, latest.environment, by: offer),
      appAccountToken: latest.appAccountToken, reason: .renewal, environment: latest.environment,
      storefront: try account(line.owner.account).storefront, isCharge: true)
    transaction.offer = offer
    event = .transacted(
      transaction, nil,
      notification(
        .didRenew(isRecovery: isRecovery), bundleId: line.owner.bundleId, environment: latest.environment,
        transaction: transaction.id))
    return transaction
  }

  /// The period of a subscription that begins at a moment; nil for other products.
  func period(
    of product: SimulatedProduct, from start: Timestamp, _ environment: SimulatedEnvironment,
    by offer: AppliedOffer? = nil
  ) -> SimulatedTransaction.Period? {
    guard case .autoRenewable(let group, let length) = product.kind else { return nil }
    // Rules AS-SUB-2, AS-SUB-11.
    let isAccelerated = state.isAccelerated(environment)
    // A free trial or an up-front payment lasts as long as the offer says (rule AS-OFF-1).
    let whole = offer.flatMap { $0.offer.payment == .payAsYouGo ? nil : $0.offer.period } ?? length
    return SimulatedTransaction.Period(
      expiresDate: whole.end(from: start, isAccelerated: isAccelerated),
      webOrderLineItemId: state.lastNumbers.webOrderLineItemId(environment, step: step()), group: group)
  }
}
