package import AppStoreProtocol
package import PaymentPrimitives
import SimulatorCore

// Queries of devices, servers and tests. Each answers in one step of the actor.

extension SimulatedAppStore {
  /// The state now, and what signs it.
  var snapshot: AppStoreSnapshot {
    AppStoreSnapshot(state: commands.state, now: now(), signer: signer, dependencies: dependencies)
  }

  // MARK: the catalog

  package func apps() -> [SimulatedApp] {
    commands.state.apps.values.sorted { $0.bundleId.utf8.lexicographicallyPrecedes($1.bundleId.utf8) }
  }

  /// The products of an app, by id; none for an unknown app.
  package func products(of bundleId: String) -> [SimulatedProduct] {
    (commands.state.products[bundleId] ?? [:]).values.sorted { $0.id < $1.id }
  }

  package func accounts() -> [SimulatedAppleAccount] { commands.state.accounts.values.sorted { $0.id < $1.id } }

  // MARK: transactions

  /// All transactions in order, without signatures; those of one account, one app, or both.
  package func transactions(
    account: AppleAccountIdentifier? = nil, bundleId: String? = nil
  ) -> [SimulatedTransaction] {
    let state = commands.state
    return state.transactionOrder.compactMap { state.transactions[$0] }.filter {
      (account == nil || $0.owner.account == account) && (bundleId == nil || $0.owner.bundleId == bundleId)
    }
  }

  /// The true charges with their refunds, in order (rule AS-TRUTH-1).
  package func charges() -> [SimulatedCharge] {
    transactions().filter(\.isCharge).map { SimulatedCharge($0) }
  }

  /// A transaction, signed now: with the current time as its date and, after a refund, with the revocation (rules
  /// AS-SIGN-1, AS-SIGN-2).
  ///
  /// - Parameter device: the UUID of the calling device; nil for a server, which gets no device verification.
  /// - Throws: `transactionUnknown`.
  package func signedTransaction(
    _ id: TransactionIdentifier, for device: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> SignedSimulatedTransaction {
    try snapshot.signedTransaction(id, for: device)
  }

  /// All transactions of an account in an app, oldest first, signed for a device.
  package func signedTransactions(
    of owner: AppOwner, for device: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> [SignedSimulatedTransaction] {
    try snapshot.signedTransactions(commands.state.transactionsByOwner[owner] ?? [], for: device)
  }

  /// The unfinished transactions of an account in an app, oldest first, signed for a device (rule AS-FIN-1). Refunded
  /// transactions stay in the list until they are finished.
  package func unfinishedTransactions(
    of owner: AppOwner, for device: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> [SignedSimulatedTransaction] {
    try snapshot.signedTransactions(commands.state.unfinished[owner] ?? [], for: device)
  }

  /// A subscription's signed renewal info, with its status.
  ///
  /// - Parameter device: the UUID of the calling device; nil for a server or notification.
  package func signedRenewalInfo(
    _ subscription: TransactionIdentifier, for device: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> (status: Status, signedRenewalInfo: String) {
    try snapshot.signedRenewalInfo(subscription, for: device)
  }

  /// The open refund requests, oldest first.
  package func refundRequests() -> [SimulatedRefundRequest] {
    commands.state.refundRequests.values.sorted { ($0.askedAt, $0.transaction) < ($1.askedAt, $1.transaction) }
  }

  /// The last consumption information of each transaction, as the server sent it.
  package func consumptionTold() -> [TransactionIdentifier: String] { commands.state.consumption }

  // MARK: receipts

  /// The app receipt of an account's app, in Base64: unfinished consumables, and all other purchases.
  ///
  /// A finished consumable is no longer in it (rule AS-RCPT-1). Unlike Apple's file, this one is always up to date.
  /// - Parameter vendor: `identifierForVendor` of the device that the receipt is for; nil for none.
  /// - Throws: `appUnknown` or `accountUnknown`.
  package func appReceipt(
    of owner: AppOwner, for vendor: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> String {
    try ReceiptWriter(snapshot: snapshot).appReceipt(of: owner, for: vendor)
  }

  /// The receipt of one transaction in the iOS 6 format, in Base64 (rule AS-RCPT-3).
  ///
  /// - Throws: `transactionUnknown`.
  package func transactionReceipt(of id: TransactionIdentifier) throws(CodedError<SimulatorErrorCode>) -> String {
    try ReceiptWriter(snapshot: snapshot).transactionReceipt(of: id)
  }

  // MARK: notifications

  /// All notifications in order, with their attempts; those of one app or of all.
  package func notifications(bundleId: String? = nil) -> [SimulatedNotification] {
    let state = commands.state
    return state.notificationOrder.ids.compactMap { state.notifications[$0] }
      .filter { bundleId == nil || $0.facts.bundleId == bundleId }
  }

  /// A notification as it is sent: the value of `signedPayload`.
  ///
  /// - Throws: `notificationUnknown`.
  package func signedPayload(of uuid: AppStoreUUID) throws(CodedError<SimulatorErrorCode>) -> String {
    guard let notification = commands.state.notifications[uuid] else { throw CodedError(.notificationUnknown) }
    return signer.sign(notification)
  }

  /// A notification that the App Store never signs: it names another app than its transaction (rule AS-NOTE-14).
  ///
  /// - Throws: `notificationUnknown`, or `appUnknown`.
  package func signedPayload(
    of uuid: AppStoreUUID, naming bundleId: String
  ) throws(CodedError<SimulatorErrorCode>) -> String {
    guard let notification = commands.state.notifications[uuid] else { throw CodedError(.notificationUnknown) }
    guard let app = commands.state.apps[bundleId] else { throw CodedError(.appUnknown) }
    return signer.sign(notification.naming(app))
  }

  // MARK: the App Store Server API

  /// All keys of the API: the ready-made one first, then by id.
  package func apiKeys() -> [SimulatedAPIKey] {
    [testAPIKey.key] + commands.state.apiKeys.values.sorted { $0.keyId < $1.keyId }
  }

  /// The planned faults of the API.
  package func apiFaults() -> [PlannedAPIFault] { commands.state.apiFaults }
}
