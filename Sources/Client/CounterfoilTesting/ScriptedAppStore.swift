public import Counterfoil
public import PaymentPrimitives
import Synchronization

/// Apple's side and the device's queue, after docs/reference/device-model.md: it keeps its state when the app ends.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class ScriptedAppStore: Sendable {
  /// The customer's and Apple's actions at the next payment sheet.
  public enum Behaviour: Sendable {
    /// Password after a second, the update a second later.
    case buys
    /// As `buys`, but only if the app still runs when the password is asked for.
    case buysIfAlive
    /// Cancelled, nothing charged.
    case cancels
    /// The store refuses the payment, with this failure.
    case fails(StoreFailure)
    /// The store throws the failure at `add` and charges nothing.
    case throwsFailure
    /// Terms sheet: failed first; the charge follows after a while, without a token (S4).
    case failsThenBuys(after: TimeSpan)
    /// Both at once: charged, but the store reports a failure at once and the purchase appears after a while (S5).
    case chargesThenSaysFailed(after: TimeSpan)
    /// Waits for a parent, who approves after a while.
    case isApproved(after: TimeSpan)
    /// Charges, and the callback never comes: only the queue shows it.
    case buysSilently
    /// Nothing ever happens, and `add` never returns.
    case hangs
  }

  /// One charge, as Apple knows it.
  public struct Charge: Sendable {
    /// Apple's number.
    public let id: TransactionIdentifier
    /// Apple's product id.
    public let product: StoreProductIdentifier
    /// Number of pieces.
    public let quantity: Int
    /// The order that it carries.
    public let token: OrderIdentifier?
    /// When it was charged.
    public let date: Timestamp
    /// Stands for the signed transaction: JSON that only this store makes.
    public let evidence: String
  }

  struct State {
    var entries: [StoreTransaction] = []
    var charges: [Charge] = []
    var behaviours: [Behaviour] = []
    var finishesThatDoNotStick = 0
    var unstuck: [StoreTransaction] = []
    var finishesThatFail = 0
    var losesTokens = false
    var cannotPay = false
    var deviceVerificationId: String?
    var productAnswer = ProductAnswer.all
    var offers: [StoreProductIdentifier: SubscriptionOffer] = [:]
    /// The entries that a restore brings; nil makes it fail.
    var restorable: [StoreTransaction]? = []
    var restoreFailure: StoreFailure?
    var restores = 0
    var promoter: AsyncStream<PromotedPayment>.Continuation?
    var freshEvidences = 0
    var doesNotAnswer = false
    var finishHangs = false
    var finishes: [TransactionIdentifier] = []
    var added: [StorePayment] = []
    var violations: [String] = []
    var count = 0
    var listener: AsyncStream<StoreTransaction>.Continuation?
    var isAlive = false
    /// Counts the app's processes: a token is kept within one, and lost with it.
    var process = 0
  }

  let state = Mutex(State())
  /// The clock of the simulation.
  public let clock: ManualClock
  /// Whether the server has durably processed a transaction, asked when the app finishes it (invariant 6).
  public let isDurable: @Sendable (TransactionIdentifier) -> Bool
  /// Sends Apple's notification to the server.
  public let notify: @Sendable (Charge) -> Void

  /// A store with that clock.
  public init(
    clock: ManualClock, isDurable: @escaping @Sendable (TransactionIdentifier) -> Bool,
    notify: @escaping @Sendable (Charge) -> Void
  ) {
    self.clock = clock
    self.isDurable = isDurable
    self.notify = notify
  }

  // MARK: behaviour settings

  /// Sets the behaviours of the next payment sheets, one after the other; a sheet without one buys.
  public func next(_ behaviours: Behaviour...) { state.withLock { $0.behaviours += behaviours } }
  /// Undoes the given number of the next finishes at the next start (S6).
  public func finishDoesNotStick(times: Int) { state.withLock { $0.finishesThatDoNotStick = times } }
  /// Makes the given number of the next finishes fail.
  public func finishFails(times: Int) { state.withLock { $0.finishesThatFail = times } }
  /// Sets whether a finish never returns.
  public func finishHangs(_ hangs: Bool) { state.withLock { $0.finishHangs = hangs } }
  /// Sets whether transactions lose their token with a relaunch (S2).
  public func loseTokens(_ loses: Bool = true) { state.withLock { $0.losesTokens = loses } }
  /// Turns payments off on this device.
  public func forbidPayments() { state.withLock { $0.cannotPay = true } }
  /// The device's id for Apple's device proofs; initially nil.
  public var deviceVerificationId: String? {
    get { state.withLock { $0.deviceVerificationId } }
    set { state.withLock { $0.deviceVerificationId = newValue } }
  }
  /// Sets whether the queue gives no answer about its contents.
  public func answersNot(_ silent: Bool) { state.withLock { $0.doesNotAnswer = silent } }
  /// Ends the stream of updates without a request for it.
  public func endStream() { state.withLock { $0.listener }?.finish() }
  /// Empties the queue, as another library does.
  public func clearQueue() { state.withLock { $0.entries = [] } }

  // MARK: results for the test

  /// Everything that was charged.
  public var charges: [Charge] { state.withLock { $0.charges } }
  /// The entries that the queue holds, and those that come back into it.
  public var queue: [StoreTransaction] { state.withLock { $0.entries + $0.unstuck } }
  /// Forbidden actions that a client carried out.
  public var violations: [String] { state.withLock { $0.violations } }
  /// The payments that the app added.
  public var sheets: [StorePayment] { state.withLock { $0.added } }
  /// The finished transactions, one entry per finish.
  public var finishes: [TransactionIdentifier] { state.withLock { $0.finishes } }
  /// Whether the store made that evidence.
  public func isGenuine(_ evidence: String) -> Bool {
    state.withLock { $0.charges.contains { $0.evidence == evidence } }
  }

  // MARK: the app's process

  /// Begins a new process: unfinished entries appear again, without tokens if tokens get lost (S2).
  public func relaunch() {
    state.withLock { state in
      state.isAlive = true
      state.process += 1
      state.entries += state.unstuck
      state.unstuck = []
      guard state.losesTokens else { return }
      for index in state.entries.indices {
        state.entries[index].token = nil
        if let evidence = state.entries[index].evidence,
          let charge = state.charges.firstIndex(where: { $0.evidence == evidence })
        {
          let lost = Self.withoutToken(state.charges[charge])
          state.charges[charge] = lost
          state.entries[index].evidence = lost.evidence
        }
      }
    }
  }

  /// Ends the app's process: there is no listener, and a sheet without a charge disappears.
  public func processDied() {
    state.withLock { state in
      state.isAlive = false
      state.listener = nil
      // A sheet that is not charged yet does not outlive its process.
      state.entries.removeAll { $0.state == .purchasing }
    }
  }

  func subscribe() -> AsyncStream<StoreTransaction> {
    let (stream, continuation) = AsyncStream.makeStream(of: StoreTransaction.self)
    let replay = state.withLock { state in
      state.listener = continuation
      return state.entries
    }
    for entry in replay { continuation.yield(entry) }
    return stream
  }

  var unfinished: [StoreTransaction]? { state.withLock { $0.doesNotAnswer ? nil : $0.entries } }
  var canPay: Bool { state.withLock { !$0.cannotPay } }
  var doesFinishHang: Bool { state.withLock { $0.finishHangs } }
}
