import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SimulatorCore

/// The input of a command: the current state, time and randomness. The output: an event, and the faults that occurred.
struct CommandContext {
  let state: SimulatorState
  let now: Timestamp
  private let dependencies: Dependencies

  /// The resulting event; nil changes nothing.
  var event: SimulatorEvent?
  /// A notification that the command itself sends.
  var claimed: AppStoreUUID?
  private(set) var spent: [SimulatorBehaviour] = []

  init(_ state: SimulatorState, now: Timestamp, _ dependencies: Dependencies) {
    self.state = state
    self.now = now
    self.dependencies = dependencies
  }

  /// The current time in whole seconds: for the dates of purchases and refunds (rule AS-BUY-2).
  var second: Timestamp { Timestamp(seconds: now.seconds) }

  /// The real time: signatures from outside do not follow the simulator's clock.
  var realTime: Timestamp { dependencies.now() }

  /// Uses up one occurrence of a fault, if any is left.
  ///
  /// - Returns: whether the fault occurs.
  mutating func strikes(_ behaviour: SimulatorBehaviour) -> Bool {
    guard state.behaviours.isOn(behaviour) else { return false }
    spent.append(behaviour)
    return true
  }

  /// Numbers grow by unpredictable steps.
  func step() -> Int64 { 1 + Int64(dependencies.randomNumber(below: 16)) }

  /// A UUID from random bytes and the record number. Two UUIDs of one log differ even if the random bytes repeat after
  /// a restart.
  func makeUUID() -> AppStoreUUID {
    let number = withUnsafeBytes(of: UInt64(state.recordCount).bigEndian) { Array($0) }
    return AppStoreUUID(random: SHA256.hash(dependencies.randomBytes(16) + number))
  }

  /// The record of the event; nil when nothing changes.
  var record: SimulatorRecord? {
    event.map { SimulatorRecord(number: state.recordCount + 1, event: $0, spent: spent) }
  }

  /// Rule AS-NOTE-8: the command itself sends the notification, unless notifications are off or delayed.
  mutating func claimIfSentBeforeAnswer(_ notification: SimulatedNotification.Facts, _ app: SimulatedApp) {
    let behaviours = state.behaviours
    if behaviours.isOn(.notifyBeforeAnswer), !behaviours.isOn(.notifyNever),
      behaviours[.notificationDelayMilliseconds] == 0,
      app.notificationURL != nil
    {
      claimed = notification.uuid
    }
  }

  // MARK: required items

  func app(_ bundleId: String) throws(CodedError<SimulatorErrorCode>) -> SimulatedApp {
    guard let app = state.apps[bundleId] else { throw CodedError(.appUnknown) }
    return app
  }

  func account(_ id: AppleAccountIdentifier) throws(CodedError<SimulatorErrorCode>) -> SimulatedAppleAccount {
    guard let account = state.accounts[id] else { throw CodedError(.accountUnknown) }
    return account
  }

  func transaction(_ id: TransactionIdentifier) throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    guard let transaction = state.transactions[id] else { throw CodedError(.transactionUnknown) }
    return transaction
  }

  func subscription(_ id: TransactionIdentifier) throws(CodedError<SimulatorErrorCode>) -> SimulatedSubscription {
    guard let subscription = state.subscriptions[id] else { throw CodedError(.subscriptionUnknown) }
    return subscription
  }

  // MARK: additional items

  func nextTransactionId(_ environment: SimulatedEnvironment) -> TransactionIdentifier {
    state.lastNumbers.transactionId(environment, step: step())
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

  /// When every app was first downloaded in the sandbox, as Apple's page of `originalPurchaseDate` says.
  private static let sandboxDownload = Timestamp(milliseconds: 1_375_340_400_000)

  /// The download of the account's app; a new one when it does not exist yet (rule AS-SIGN-4).
  func download(_ owner: AppOwner, of app: SimulatedApp) -> (download: AppDownload, isNew: Bool) {
    if let known = state.downloads[owner] { return (known, false) }
    let isSandbox = state.accounts[owner.account]?.environment == .sandbox
    let download = AppDownload(
      owner: owner, appTransactionId: state.lastNumbers.appTransactionId(step: step()),
      originalPurchaseDate: isSandbox ? Self.sandboxDownload : second,
      originalVersion: isSandbox ? "1.0" : app.build)
    return (download, true)
  }

  /// A notification of an event at the current time.
  func notification(
    _ type: NotificationKind, bundleId: String, environment: SimulatedEnvironment,
    transaction: TransactionIdentifier?
  ) -> SimulatedNotification.Facts {
    SimulatedNotification.Facts(
      uuid: makeUUID(), type: type.type, subtype: type.subtype, bundleId: bundleId, environment: environment,
      transaction: transaction, signedDate: now)
  }

  func notification(
    _ kind: NotificationKind, about transaction: SimulatedTransaction
  ) -> SimulatedNotification.Facts {
    notification(
      kind, bundleId: transaction.owner.bundleId, environment: transaction.environment, transaction: transaction.id)
  }
}
