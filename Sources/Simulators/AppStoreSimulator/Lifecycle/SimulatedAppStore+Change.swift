import AppStoreProtocol
package import PaymentPrimitives

// Changes to a running subscription by the developer or the App Store.

extension SimulatedAppStore {
  /// Raises the price of a subscription from its next renewal on (rules AS-RAISE-1, AS-RAISE-2).
  ///
  /// - Parameters:
  ///   - milliunits: the new price, in thousandths of the currency's main unit.
  ///   - needsConsent: whether the customer has to agree; without consent the subscription ends with its period.
  /// - Throws: `subscriptionUnknown`, `notRenewing`, or `fieldInvalid` for a price that is not higher.
  package func raisePrice(
    of id: TransactionIdentifier, to milliunits: Int64, needsConsent: Bool
  ) async throws(CodedError<SimulatorErrorCode>) {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      let (line, latest) = try decision.running(id)
      guard milliunits > decision.state.renewalCharge(of: line, latest).price.milliunits, milliunits <= Self.priceMax
      else {
        throw CodedError(.fieldInvalid, "price must be higher than the present one, and at most \(Self.priceMax).")
      }
      var standing = line.standing
      standing.raise = LineStanding.Raise(price: milliunits, isAccepted: !needsConsent)
      decision.set(standing, of: line, latest, kind: .other(.priceIncrease, needsConsent ? .pending : .accepted))
    }
  }

  /// The customer agrees to a higher price (rule AS-RAISE-1).
  ///
  /// - Throws: `subscriptionUnknown`, or `notRenewing` when no price waits for consent.
  package func acceptPrice(of id: TransactionIdentifier) async throws(CodedError<SimulatorErrorCode>) {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      let (line, latest) = try decision.running(id)
      var standing = line.standing
      guard standing.raise?.isAccepted == false else { throw CodedError(.notRenewing, "No price waits for a word.") }
      standing.raise?.isAccepted = true
      decision.set(standing, of: line, latest, kind: .other(.priceIncrease, .accepted))
    }
  }

  /// Ends a subscription without a named reason: EXPIRED without a subtype (rule AS-CAL-5).
  ///
  /// - Throws: `subscriptionUnknown`, or `notRenewing` before the end of its period or after its end.
  package func endSubscription(_ id: TransactionIdentifier) async throws(CodedError<SimulatorErrorCode>) {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      let (line, latest) = try decision.running(id)
      guard let end = latest.period?.expiresDate, end <= decision.now else {
        throw CodedError(.notRenewing, "Its period has not ended.")
      }
      var standing = line.standing
      standing.end = .other
      decision.set(standing, of: line, latest, kind: .other(.expired))
    }
  }

  /// Extends the current period of a subscription (rule AS-EXT-1).
  ///
  /// - Parameter days: 1 to 90.
  /// - Returns: the new end.
  /// - Throws: `subscriptionUnknown`, `notRenewing` for one that is not active, or `fieldInvalid`.
  package func extendRenewal(
    of id: TransactionIdentifier, byDays days: Int64
  ) async throws(CodedError<SimulatorErrorCode>) -> Timestamp {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      try decision.extendRenewal(of: id, byDays: days)
    }
  }

  /// Extends all active subscriptions to a product, one after the other, and notifies the server of the results (rule
  /// AS-EXT-2).
  ///
  /// - Returns: how many extensions succeeded, and how many failed.
  /// - Throws: `productUnknown`, or `fieldInvalid`.
  package func extendRenewals(
    of product: StoreProductIdentifier, bundleId: String, byDays days: Int64, requestIdentifier: String
  ) async throws(CodedError<SimulatorErrorCode>) -> (succeeded: Int, failed: Int) {
    guard state.products[bundleId]?[product] != nil else { throw CodedError(.productUnknown) }
    guard (1...SimulatorLimits.extensionDaysMax).contains(days), (1...64).contains(requestIdentifier.utf8.count) else {
      throw CodedError(.fieldInvalid, "days must be 1 to \(SimulatorLimits.extensionDaysMax).")
    }
    let lines = state.lines.values.filter {
      $0.owner.bundleId == bundleId && state.transactions[$0.latest]?.product == product && $0.sharedFrom == nil
    }
    var (succeeded, failed) = (0, 0)
    for id in lines.map(\.id).sorted() {
      do throws(CodedError<SimulatorErrorCode>) {
        _ = try await extendRenewal(of: id, byDays: days)
        succeeded += 1
      } catch {
        guard error.code == .notRenewing, state.lines[id]?.standing.end == nil else { continue }
        failed += 1
        try await commit { decision throws(CodedError<SimulatorErrorCode>) in
          let latest = try decision.transaction(try decision.line(id).latest)
          decision.event = .told(decision.notification(.other(.renewalExtension, .failure), about: latest))
        }
      }
    }
    let counts = (succeeded, failed)
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      try decision.tellSummary(of: product, bundleId, requestIdentifier, counts: counts)
    }
    return counts
  }

  static let priceMax: Int64 = 1_000_000_000_000
}

extension CommandContext {
  /// A subscription that has not ended, and that the account itself pays for.
  fileprivate func running(
    _ id: TransactionIdentifier
  ) throws(CodedError<SimulatorErrorCode>) -> (SimulatedLine, SimulatedTransaction) {
    let line = try line(id)
    let latest = try transaction(line.latest)
    guard line.standing.end == nil, line.sharedFrom == nil, latest.revocation?.isWhole != true else {
      throw CodedError(.notRenewing)
    }
    return (line, latest)
  }

  mutating func extendRenewal(
    of id: TransactionIdentifier, byDays days: Int64
  ) throws(CodedError<SimulatorErrorCode>) -> Timestamp {
    let (_, latest) = try running(id)
    guard (1...SimulatorLimits.extensionDaysMax).contains(days) else {
      throw CodedError(.fieldInvalid, "days must be 1 to \(SimulatorLimits.extensionDaysMax).")
    }
    guard let end = latest.period?.expiresDate, end > now else { throw CodedError(.notRenewing, "It is not active.") }
    let later = end + .days(days)
    event = .renewalExtended(latest.id, until: later, notification(.other(.renewalExtended), about: latest))
    return later
  }

  fileprivate mutating func tellSummary(
    of product: StoreProductIdentifier, _ bundleId: String, _ requestIdentifier: String,
    counts: (succeeded: Int, failed: Int)
  ) throws(CodedError<SimulatorErrorCode>) {
    let app = try app(bundleId)
    let known = state.lines.values.filter { $0.owner.bundleId == bundleId }.min { $0.id < $1.id }
    let environment = known.flatMap { state.transactions[$0.latest]?.environment } ?? .production
    var summary = NotificationSummary()
    summary.environment = .known(environment.word)
    summary.appAppleId = environment == .production ? app.appAppleId : nil
    summary.bundleId = bundleId
    summary.productId = product.text
    summary.requestIdentifier = requestIdentifier
    summary.succeededCount = Int64(counts.succeeded)
    summary.failedCount = Int64(counts.failed)
    var facts = notification(
      .other(.renewalExtension, .summary), bundleId: bundleId, environment: environment, transaction: nil)
    facts.content = .summary(summary)
    event = .told(facts)
  }
}
