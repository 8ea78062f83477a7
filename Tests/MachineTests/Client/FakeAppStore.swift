import Counterfoil
import PaymentVocabulary
import StrictJSON
import Synchronization

/// Apple's side and the device's queue, after client spec §2: it keeps its state whatever happens to the app.
final class FakeAppStore: Sendable {
  /// What the customer and Apple do with the next payment sheet.
  enum Behaviour: Sendable {
    /// Password after a second, the news a second later.
    case buys
    /// As `buys`, but only if the app is still there when the password is asked for.
    case buysIfAlive
    /// Cancelled, nothing charged.
    case cancels
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

  struct Charge: Sendable {
    let id: TransactionIdentifier
    let product: StoreProductIdentifier
    let quantity: Int
    let token: OrderIdentifier?
    let date: Timestamp
    let evidence: String
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
    var productAnswer = ProductAnswer.all
    /// What a restore brings beside lasting things that were bought here; nil makes it fail.
    var restorable: [StoreTransaction]? = []
    var restores = 0
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
  let clock: VirtualClock
  /// Whether the server has taken in a transaction durably, asked when the app finishes it (invariant 6).
  let isDurable: @Sendable (TransactionIdentifier) -> Bool
  /// Apple's notification to the server.
  let notify: @Sendable (Charge) -> Void

  init(
    clock: VirtualClock, isDurable: @escaping @Sendable (TransactionIdentifier) -> Bool,
    notify: @escaping @Sendable (Charge) -> Void
  ) {
    self.clock = clock
    self.isDurable = isDurable
    self.notify = notify
  }

  // MARK: knobs

  func next(_ behaviours: Behaviour...) { state.withLock { $0.behaviours += behaviours } }
  func finishDoesNotStick(times: Int) { state.withLock { $0.finishesThatDoNotStick = times } }
  func finishFails(times: Int) { state.withLock { $0.finishesThatFail = times } }
  func finishHangs(_ hangs: Bool) { state.withLock { $0.finishHangs = hangs } }
  func loseTokens(_ loses: Bool = true) { state.withLock { $0.losesTokens = loses } }
  func forbidPayments() { state.withLock { $0.cannotPay = true } }
  func answersNot(_ silent: Bool) { state.withLock { $0.doesNotAnswer = silent } }
  func endStream() { state.withLock { $0.listener }?.finish() }
  /// Another library empties the queue.
  func clearQueue() { state.withLock { $0.entries = [] } }

  // MARK: what the test looks at

  var charges: [Charge] { state.withLock { $0.charges } }
  var queue: [StoreTransaction] { state.withLock { $0.entries + $0.unstuck } }
  var violations: [String] { state.withLock { $0.violations } }
  var sheets: [StorePayment] { state.withLock { $0.added } }
  var finishes: [TransactionIdentifier] { state.withLock { $0.finishes } }
  func isGenuine(_ evidence: String) -> Bool { state.withLock { $0.charges.contains { $0.evidence == evidence } } }

  // MARK: the app's process

  /// A new process: what was unfinished is there again, without tokens where tokens get lost (S2).
  func relaunch() {
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

  func processDied() {
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

  // MARK: payments

  /// Opens a sheet; nil when it returns at once.
  func add(_ payment: StorePayment) throws(StoreFailure) -> Bool {
    let (behaviour, handle, process) = state.withLock { state in
      state.added.append(payment)
      state.count += 1
      let behaviour = state.behaviours.isEmpty ? Behaviour.buys : state.behaviours.removeFirst()
      return (behaviour, "entry-\(state.count)", state.process)
    }
    let cancelled = StoreFailure(code: 2, isCancelled: true, explanation: "cancelled")
    let failed = StoreFailure(code: 0, explanation: "unknown error")
    switch behaviour {
    case .buys, .buysSilently, .buysIfAlive:
      clock.after(.seconds(1)) {
        if case .buysIfAlive = behaviour, !self.isAlive { return }
        let entry = self.charge(payment, handle, token: payment.token, by: process)
        if case .buysSilently = behaviour { return }
        self.clock.after(.seconds(1)) { self.deliver(entry) }
      }
    case .cancels:
      clock.after(.seconds(1)) { self.fail(payment, handle, cancelled) }
    case .throwsFailure:
      throw failed
    case .failsThenBuys(let after):
      clock.after(.seconds(1)) { self.fail(payment, handle, failed) }
      clock.after(after) { self.deliver(self.charge(payment, handle + "b", token: nil, by: process)) }
    case .chargesThenSaysFailed(let after):
      clock.after(.seconds(1)) { self.fail(payment, handle, failed) }
      clock.after(after) { self.deliver(self.charge(payment, handle + "b", token: payment.token, by: process)) }
    case .isApproved(let after):
      clock.after(.seconds(1)) {
        var entry = StoreTransaction(handle: handle, state: .deferred, quantity: payment.quantity)
        entry.product = payment.product
        entry.token = payment.token
        self.put(entry)
        self.deliver(entry)
      }
      clock.after(after) {
        self.remove(handle)
        self.deliver(self.charge(payment, handle, token: payment.token, by: process))
      }
    case .hangs:
      return true
    }
    return false
  }

  /// A charge that did not come from a sheet of this device's app: an offer code, a renewal, an earlier life of the
  /// app.
  @discardableResult
  func chargeOutside(
    _ product: StoreProductIdentifier, token: OrderIdentifier? = nil, quantity: Int = 1
  ) -> TransactionIdentifier {
    let (handle, process) = state.withLock { state in
      state.count += 1
      return ("entry-\(state.count)", state.process)
    }
    let payment = StorePayment(
      product: product, quantity: quantity, token: token ?? OrderIdentifier(high: 0, low: 0))
    let entry = charge(payment, handle, token: token, by: process)
    deliver(entry)
    return entry.id ?? ""
  }

  private var isAlive: Bool { state.withLock { $0.isAlive } }

  private func charge(
    _ payment: StorePayment, _ handle: String, token: OrderIdentifier?, by process: Int
  ) -> StoreTransaction {
    let (charge, entry) = state.withLock { state in
      let id = TransactionIdentifier("\(1000 + state.charges.count)")
      let isSameRun = state.isAlive && state.process == process
      let kept = state.losesTokens && !isSameRun ? nil : token
      let charge = Self.makeCharge(id, payment.product, payment.quantity, kept, clock.now)
      state.charges.append(charge)
      var entry = StoreTransaction(handle: handle, state: .purchased, quantity: payment.quantity)
      entry.id = id
      entry.product = payment.product
      entry.purchaseDate = charge.date
      entry.token = kept
      entry.evidence = charge.evidence
      state.entries.append(entry)
      return (charge, entry)
    }
    notify(charge)
    return entry
  }

  private static func makeCharge(
    _ id: TransactionIdentifier, _ product: StoreProductIdentifier, _ quantity: Int,
    _ token: OrderIdentifier?, _ date: Timestamp
  ) -> Charge {
    let evidence = JSONValue.members([
      ("transactionId", .string(id.text)), ("productId", .string(product.text)),
      ("quantity", .integer(quantity)), ("purchaseDate", .string(date.iso8601)),
      ("appAccountToken", token.map { .string($0.appAccountToken) }),
    ]).text
    return Charge(
      id: id, product: product, quantity: quantity, token: token, date: date, evidence: evidence)
  }

  private static func withoutToken(_ charge: Charge) -> Charge {
    makeCharge(charge.id, charge.product, charge.quantity, nil, charge.date)
  }

  private func fail(_ payment: StorePayment, _ handle: String, _ failure: StoreFailure) {
    var entry = StoreTransaction(handle: handle, state: .failed(failure), quantity: payment.quantity)
    entry.product = payment.product
    entry.token = payment.token
    put(entry)
    deliver(entry)
  }

  private func put(_ entry: StoreTransaction) { state.withLock { $0.entries.append(entry) } }
  private func remove(_ handle: String) {
    state.withLock { state in state.entries.removeAll { $0.handle == handle } }
  }

  /// Reports an entry to the app, if it runs and listens; also again, as stores do.
  func deliver(_ entry: StoreTransaction) {
    let listener = state.withLock { $0.listener }
    listener?.yield(entry)
  }

  // MARK: finishing

  func finish(_ transaction: StoreTransaction) throws(StoreFailure) {
    let id = transaction.id
    if transaction.isEvidence, let id, !isDurable(id) {
      state.withLock { $0.violations.append("\(id) was finished before the server had it") }
    }
    let fails = state.withLock { state in
      guard state.finishesThatFail > 0 else { return false }
      state.finishesThatFail -= 1
      return true
    }
    guard !fails else { throw StoreFailure(explanation: "no network") }
    state.withLock { state in
      if let id { state.finishes.append(id) }
      guard let index = state.entries.firstIndex(where: { $0.handle == transaction.handle }) else { return }
      let entry = state.entries.remove(at: index)
      guard state.finishesThatDoNotStick > 0, entry.isEvidence else { return }
      state.finishesThatDoNotStick -= 1
      state.unstuck.append(entry)
    }
  }
}
