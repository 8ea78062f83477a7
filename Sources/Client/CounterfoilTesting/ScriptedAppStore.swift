public import Counterfoil
public import PaymentPrimitives
import Synchronization

/// Apple's side and the device's queue, after docs/reference/device-model.md: it keeps its state whatever happens to
/// the app.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class ScriptedAppStore: Sendable {
  /// What the customer and Apple do with the next payment sheet.
  public enum Behaviour: Sendable {
    /// Password after a second, the news a second later.
    case buys
    /// As `buys`, but only if the app is still there when the password is asked for.
    case buysIfAlive
    /// Cancelled, nothing charged.
    case cancels
    /// The store refuses the payment, and says why.
    case fails(StoreFailure)
    /// The store throws the failure at `add` and charges nothing.
    case throwsFailure
    /// Terms sheet: failed first; the charge follows after a while, without a token (S4).
    case failsThenBuys(after: TimeSpan)
    /// Both in one go: charged, but the store says failed at once and the purchase turns up after a while (S5).
    case chargesThenSaysFailed(after: TimeSpan)
    /// Waits for a parent, who approves after a while.
    case isApproved(after: TimeSpan)
    /// Charges, and the callback never comes: only the queue shows it.
    case buysSilently
    /// Nothing ever happens, and `add` never returns.
    case hangs
  }

  /// Money taken, as Apple knows it.
  public struct Charge: Sendable {
    /// Apple's number.
    public let id: TransactionIdentifier
    /// Apple's product id.
    public let product: StoreProductIdentifier
    /// Pieces.
    public let quantity: Int
    /// The order that it carries.
    public let token: OrderIdentifier?
    /// When.
    public let date: Timestamp
    /// What stands for the signed transaction here: JSON that this store alone makes.
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
    /// What a restore brings beside lasting things that were bought here; nil makes it fail.
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
  /// The time of this world.
  public let clock: ManualClock
  /// Whether the server has taken in a transaction durably, asked when the app finishes it (invariant 6).
  public let isDurable: @Sendable (TransactionIdentifier) -> Bool
  /// Apple's notification to the server.
  public let notify: @Sendable (Charge) -> Void

  /// A store in that time.
  public init(
    clock: ManualClock, isDurable: @escaping @Sendable (TransactionIdentifier) -> Bool,
    notify: @escaping @Sendable (Charge) -> Void
  ) {
    self.clock = clock
    self.isDurable = isDurable
    self.notify = notify
  }

  // MARK: knobs

  /// What the next payment sheets come to, one after the other; those without a word buy.
  public func next(_ behaviours: Behaviour...) { state.withLock { $0.behaviours += behaviours } }
  /// So many of the next finishes are undone at the next start (S6).
  public func finishDoesNotStick(times: Int) { state.withLock { $0.finishesThatDoNotStick = times } }
  /// So many of the next finishes fail.
  public func finishFails(times: Int) { state.withLock { $0.finishesThatFail = times } }
  /// Whether a finish never returns.
  public func finishHangs(_ hangs: Bool) { state.withLock { $0.finishHangs = hangs } }
  /// Whether transactions lose their token with a relaunch (S2).
  public func loseTokens(_ loses: Bool = true) { state.withLock { $0.losesTokens = loses } }
  /// Payments are turned off on this device.
  public func forbidPayments() { state.withLock { $0.cannotPay = true } }
  /// The device's id for Apple's device proofs; none at first.
  public var deviceVerificationId: String? {
    get { state.withLock { $0.deviceVerificationId } }
    set { state.withLock { $0.deviceVerificationId = newValue } }
  }
  /// Whether the queue does not say what it holds.
  public func answersNot(_ silent: Bool) { state.withLock { $0.doesNotAnswer = silent } }
  /// Ends the stream of updates, though nobody asked for it.
  public func endStream() { state.withLock { $0.listener }?.finish() }
  /// Another library empties the queue.
  public func clearQueue() { state.withLock { $0.entries = [] } }

  // MARK: what the test looks at

  /// Everything that was charged.
  public var charges: [Charge] { state.withLock { $0.charges } }
  /// What the queue holds, and what comes back into it.
  public var queue: [StoreTransaction] { state.withLock { $0.entries + $0.unstuck } }
  /// What a client did that it must never do.
  public var violations: [String] { state.withLock { $0.violations } }
  /// The payments that were handed over.
  public var sheets: [StorePayment] { state.withLock { $0.added } }
  /// The transactions that were finished, each time.
  public var finishes: [TransactionIdentifier] { state.withLock { $0.finishes } }
  /// Whether the store made that evidence.
  public func isGenuine(_ evidence: String) -> Bool {
    state.withLock { $0.charges.contains { $0.evidence == evidence } }
  }

  // MARK: the app's process

  /// A new process: what was unfinished is there again, without tokens where tokens get lost (S2).
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

  /// The app's process ends: nobody listens, and a sheet that is not charged goes with it.
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
