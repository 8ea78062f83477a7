package import AppStoreProtocol
package import PaymentPrimitives

/// Notifications that change nothing at the App Store itself.
package struct NotificationCommands: Sendable {
  let store: SimulatedAppStore

  /// Sends a notification of type TEST, as App Store Connect's API does on request.
  ///
  /// - Parameter environment: the environment that sends it; nil for the default of new accounts.
  /// - Throws: `appUnknown`, or `notificationAddressMissing`.
  nonisolated(nonsending) package func requestTest(
    bundleId: String, environment: SimulatedEnvironment? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> AppStoreUUID {
    let environment = environment ?? store.settings.environment
    return try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      guard try decision.app(bundleId).notificationURL != nil else { throw CodedError(.notificationAddressMissing) }
      let notification = decision.notification(
        .test, bundleId: bundleId, environment: environment, transaction: nil)
      decision.event = .testRequested(notification)
      return notification.uuid
    }
  }

  /// A guardian withdraws the consent to an app: RESCIND_CONSENT, with the app transaction (rule AS-NOTE-12).
  ///
  /// - Throws: `appUnknown`, or `accountUnknown`, also for an account that never got the app.
  nonisolated(nonsending) package func rescindConsent(of owner: AppOwner) async throws(CodedError<SimulatorErrorCode>) {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let app = try decision.app(owner.bundleId)
      let account = try decision.account(owner.account)
      guard decision.state.downloads[owner] != nil else {
        throw CodedError(.accountUnknown, "\(owner.account) never got \(owner.bundleId).")
      }
      var facts = decision.notification(
        .other(.rescindConsent), bundleId: app.bundleId, environment: account.environment, transaction: nil)
      facts.content = .consent(owner)
      decision.event = .told(facts)
    }
  }

  /// Reports a token for purchases outside the App Store: EXTERNAL_PURCHASE_TOKEN (rule AS-NOTE-12).
  ///
  /// - Parameters:
  ///   - subtype: `created`, `activeTokenReminder` or `unreported`.
  ///   - lifetime: how long the token is valid; nil when the token states no expiration.
  /// - Returns: the token's `externalPurchaseId`.
  /// - Throws: `appUnknown`, or `fieldInvalid` for another subtype.
  nonisolated(nonsending) package func tellExternalPurchase(
    _ subtype: Subtype, bundleId: String, environment: SimulatedEnvironment? = nil,
    type: ExternalPurchaseTokenType? = nil, lifetime: TimeSpan? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> String {
    let environment = environment ?? store.settings.environment
    return try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let app = try decision.app(bundleId)
      guard NotificationRow.all.contains(NotificationRow(.externalPurchaseToken, subtype)) else {
        throw CodedError(.fieldInvalid, "subtype must be CREATED, ACTIVE_TOKEN_REMINDER or UNREPORTED.")
      }
      // Apple marks sandbox ids; only this prefix shows the environment.
      let id = (environment == .sandbox ? "SANDBOX_" : "") + decision.makeUUID().text
      var token = ExternalPurchaseToken()
      token.externalPurchaseId = id
      token.tokenCreationDate = decision.now
      token.appAppleId = app.appAppleId
      token.bundleId = bundleId
      token.tokenType = type.map { .known($0) }
      token.tokenExpirationDate = lifetime.map { decision.now + $0 }
      var facts = decision.notification(
        .other(.externalPurchaseToken, subtype), bundleId: bundleId, environment: environment, transaction: nil)
      facts.content = .externalPurchase(token)
      decision.event = .told(facts)
      return id
    }
  }

  /// Sends any pair of type and subtype about the current state of a transaction, and changes nothing. It is for
  /// features that the simulator does not implement, such as Advanced Commerce and seats (rule AS-NOTE-12).
  ///
  /// - Parameter seats: the seats that UNCLAIM_SEATS names.
  /// - Throws: `transactionUnknown`, or `fieldInvalid` for a pair that is not in Apple's table.
  nonisolated(nonsending) package func tell(
    _ type: NotificationTypeV2, _ subtype: Subtype? = nil, about id: TransactionIdentifier, seats: [String] = []
  ) async throws(CodedError<SimulatorErrorCode>) {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let transaction = try decision.transaction(id)
      let elsewhere: Set<NotificationTypeV2> = [.externalPurchaseToken, .rescindConsent, .test]
      guard NotificationRow.all.contains(NotificationRow(type, subtype)), !elsewhere.contains(type),
        subtype != .summary
      else { throw CodedError(.fieldInvalid, "There is no such pair of type and subtype about a transaction.") }
      let areNames = seats.allSatisfy { (1...64).contains($0.utf8.count) }
      guard seats.count <= SimulatorLimits.seatsMax, areNames, (type == .unclaimSeats) == !seats.isEmpty else {
        throw CodedError(.fieldInvalid, "seats must be 1 to \(SimulatorLimits.seatsMax) names, of UNCLAIM_SEATS alone.")
      }
      var facts = decision.notification(.other(type, subtype), about: transaction)
      if type == .unclaimSeats { facts.content = .seats(seats) }
      if type == .consumptionRequest { facts.content = .consumptionRequest(.other) }
      decision.event = .told(facts)
    }
  }
}
