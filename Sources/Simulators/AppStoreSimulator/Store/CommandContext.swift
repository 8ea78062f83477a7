import Cryptography
import PaymentPrimitives

/// What a command decides on: the state as it is, the moment, chance. What it decides: an event, and the faults that
/// struck.
struct CommandContext {
  let state: SimulatorState
  let now: Timestamp
  private let surroundings: Dependencies

  /// What is to happen; nil leaves everything as it is.
  var event: SimulatorEvent?
  /// A notification that the command itself will send.
  var claimed: AppStoreUUID?
  private(set) var spent: [SimulatorKnob] = []

  init(_ state: SimulatorState, now: Timestamp, _ surroundings: Dependencies) {
    self.state = state
    self.now = now
    self.surroundings = surroundings
  }

  /// The present moment in whole seconds: dates of purchases and refunds (rule AS-BUY-2).
  var second: Timestamp { Timestamp(seconds: now.seconds) }

  /// The world's time: what is signed elsewhere knows nothing of the simulator's clock.
  var realTime: Timestamp { surroundings.now() }

  /// Lets a fault strike if there is one left of its kind.
  mutating func strikes(_ knob: SimulatorKnob) -> Bool {
    guard state.knobs.isOn(knob) else { return false }
    spent.append(knob)
    return true
  }

  /// Numbers grow by steps that nobody can foresee.
  func step() -> Int64 { 1 + Int64(surroundings.randomNumber(below: 16)) }

  /// A UUID by chance and by the number of the record: two of one log differ even if chance repeats itself after a
  /// restart.
  func makeUUID() -> AppStoreUUID {
    let number = withUnsafeBytes(of: UInt64(state.recordCount).bigEndian) { Array($0) }
    return AppStoreUUID(random: SHA256.hash(surroundings.randomBytes(16) + number))
  }

  // MARK: what must be there

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

  func line(_ id: TransactionIdentifier) throws(CodedError<SimulatorErrorCode>) -> SimulatedLine {
    guard let line = state.lines[id] else { throw CodedError(.subscriptionUnknown) }
    return line
  }

  // MARK: what comes with it

  /// The account's app: as it is, or new with the first thing that needs it.
  func download(_ owner: AppOwner, of app: SimulatedApp) -> (download: AppDownload, isNew: Bool) {
    if let known = state.downloads[owner] { return (known, false) }
    let download = AppDownload(
      owner: owner, appTransactionId: state.lastNumbers.appTransactionId(step: step()),
      originalPurchaseDate: second, originalVersion: app.version)
    return (download, true)
  }

  /// A notification of what happens now.
  func notification(
    _ type: NotificationKind, bundleId: String, environment: SimulatedEnvironment,
    transaction: TransactionIdentifier?
  ) -> SimulatedNotification.Facts {
    SimulatedNotification.Facts(
      uuid: makeUUID(), type: type.type, subtype: type.subtype, bundleId: bundleId, environment: environment,
      transaction: transaction, signedDate: now)
  }
}
