import AppStoreSimulator
import Counterfoil
import PaymentPrimitives
import Synchronization

/// The result of a payment that the app submits on the phone.
enum ScenarioAnswer: Hashable, Sendable {
  /// The customer pays, and the app is told.
  case pays
  case givesUp
  /// The customer pays, and the app is killed before it gets the result.
  case paysAndAppDies
  /// The app is killed before the customer has entered the password.
  case appDies
  /// The customer pays, and the device reports a failure.
  case paysAndSeemsToFail
  /// The customer pays, and the device reports a cancellation.
  case paysAndSeemsToCancel
  /// The customer pays, and the device reports nothing.
  case paysAndNothingIsHeard
  /// The payment fails because Apple first requires an action. If the customer accepts after a while, it is charged
  /// under another transaction without its token (the user name of the payment).
  case interrupted(acceptsAfter: TimeSpan?)
  /// A parent is asked, and approves after a while or never.
  case asksParents(approvesAfter: TimeSpan?)
}

/// A phone of a scenario: a disk, and a queue over the simulated App Store with a scripted customer.
final class ScenarioHandset: WorldHandset {
  private struct State {
    var answers: [ScenarioAnswer] = []
    var queue: ScenarioQueue?
    var waiting: Set<StoreProductIdentifier> = []
    var talk: [ScenarioTalk] = []
    /// The sandbox setting "interrupted purchases" of the account: while it is on, every payment fails and new terms
    /// wait.
    var isInterrupting = false
    /// The payment whose terms are shown on the screen, outside the app.
    var terms: StorePayment?
  }

  let setting: WorldHandsetSetting
  private let system: SimulatedProcess
  private let disk = WorldDisk()
  private let state = Mutex(State())

  init(_ setting: WorldHandsetSetting) {
    self.setting = setting
    system = setting.makeProcess("phone \(setting.number)'s system")
  }

  var identifier: AppStoreUUID { setting.identifier }
  var spoiled: Set<TransactionIdentifier> { [] }
  var hasOpenSheet: Bool { false }
  var holdsCharge: Bool { false }
  func waits(for product: StoreProductIdentifier) -> Bool { state.withLock { $0.waiting.contains(product) } }

  /// Sets the customer's answers to the next payments; all later payments are paid.
  func will(_ answers: [ScenarioAnswer]) { state.withLock { $0.answers += answers } }

  /// The messages between the app and its queue, in order.
  var talk: [ScenarioTalk] { state.withLock { $0.talk } }
  func note(_ talk: ScenarioTalk) { state.withLock { $0.talk.append(talk) } }

  /// Turns interrupted purchases on or off for the account.
  func interruptPurchases(_ isOn: Bool) { state.withLock { $0.isInterrupting = isOn } }
  var isInterrupting: Bool { state.withLock { $0.isInterrupting } }

  /// Whether the phone shows terms to accept.
  var showsTerms: Bool { state.withLock { $0.terms != nil } }
  func showTerms(for payment: StorePayment) { state.withLock { $0.terms = payment } }

  /// The customer accepts the terms. Unless purchases are still interrupted, the payment is charged after a moment, by
  /// a transaction without its token (the user name of the payment).
  func acceptTerms() {
    let payment = state.withLock { state -> StorePayment? in
      guard !state.isInterrupting else { return nil }
      defer { state.terms = nil }
      return state.terms
    }
    if let payment { charge(payment, after: .seconds(3), keepsToken: false) }
  }

  func nextAnswer() -> ScenarioAnswer {
    state.withLock { $0.answers.isEmpty ? .pays : $0.answers.removeFirst() }
  }

  func launch(in process: SimulatedProcess, _ dependencies: Dependencies) -> WorldAppRun {
    let queue = ScenarioQueue(self, process)
    state.withLock { $0.queue = queue }
    return WorldAppRun(queue: queue, vault: FileVault(disk.folder(dependencies))) { process.spawn($0) }
  }

  func appWasKilled() { state.withLock { $0.queue = nil } }
  func comeToForeground() {}
  func willOpenSheet(_ payment: StorePayment) {}
  func loseVault() { disk.lose() }
  func heal() {}

  func vaultContents() async throws(VaultFailure) -> VaultContents {
    try await FileVault(disk.folder(system.dependencies())).load()
  }

  // MARK: events outside the app

  /// The phone's operating system ends the app.
  func kill(_ process: SimulatedProcess) { system.spawn { process.kill() } }

  /// The App Store charges after a while, whether the app runs or not; a running app sees the transaction.
  func charge(_ payment: StorePayment, after span: TimeSpan, keepsToken: Bool) {
    var request = SimulatedPurchaseRequest(owner: setting.owner, product: payment.product)
    request.quantity = payment.quantity
    request.appAccountToken = keepsToken ? AppStoreUUID(payment.token) : nil
    request.deviceVerificationId = setting.identifier
    let asked = request
    state.withLock { _ = $0.waiting.insert(payment.product) }
    setting.appoint(span) { [self] in
      _ = try? await setting.approvals.reach { try await $0.purchases.purchase(asked) }
      let queue = state.withLock { state in
        state.waiting.remove(payment.product)
        return state.queue
      }
      await queue?.showUnfinished()
    }
  }
}

/// The payment queue of one run of the app on such a phone.
final class ScenarioQueue: StoreQueue {
  private let handset: ScenarioHandset
  private let process: SimulatedProcess
  private let telling: SimulatedStoreQueue
  private let silent: SimulatedStoreQueue
  private let listeners = Mutex<[AsyncStream<StoreTransaction>.Continuation]>([])
  private let lastHandle = Mutex(0)

  init(_ handset: ScenarioHandset, _ process: SimulatedProcess) {
    self.handset = handset
    self.process = process
    let setting = handset.setting
    let interface: SimulatedPurchaseRequest.Interface = setting.isStoreKit1 ? .storeKit1 : .storeKit2
    telling = SimulatedStoreQueue(
      setting.link, owner: setting.owner, device: setting.identifier, interface: interface)
    silent = SimulatedStoreQueue(
      setting.link, owner: setting.owner, device: setting.identifier, tellsOfPurchases: false, interface: interface)
  }

  func canMakePayments() async -> Bool { true }

  func deviceVerificationId() async -> String? { await telling.deviceVerificationId() }

  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    try await telling.products(ids)
  }

  func restore() async throws(StoreFailure) -> [StoreTransaction] { try await telling.restore() }

  func updates() async -> AsyncStream<StoreTransaction> {
    let (stream, continuation) = AsyncStream.makeStream(of: StoreTransaction.self)
    handset.note(.listens)
    listeners.withLock { $0.append(continuation) }
    process.spawn { [telling, handset] in
      for await transaction in await telling.updates() {
        handset.note(.shows(transaction))
        continuation.yield(transaction)
      }
    }
    return stream
  }

  func unfinished() async throws(StoreFailure) -> [StoreTransaction] {
    let entries = try await telling.unfinished()
    handset.note(.enumerates(entries.count))
    return entries
  }

  func finish(_ transaction: StoreTransaction) async throws(StoreFailure) {
    try await telling.finish(transaction)
    handset.note(.finishes(transaction))
  }

  /// Shows the app everything unfinished, as the system does if something arrives while the app runs.
  func showUnfinished() async {
    for transaction in (try? await telling.unfinished()) ?? [] { yield(transaction) }
  }

  func add(_ payment: StorePayment) async throws(StoreFailure) {
    handset.note(.pays(payment.product))
    var pending = entry(payment, .purchasing)
    if handset.isInterrupting { yield(pending) }
    await think(.seconds(2))
    if handset.isInterrupting {
      handset.showTerms(for: payment)
      let failure = StoreFailure(.other, code: 0, innerCode: 3038, explanation: "new terms wait")
      pending.state = .failed(failure)
      yield(pending)
      throw failure
    }
    switch handset.nextAnswer() {
    case .pays: try await telling.add(payment)
    case .givesUp: throw Self.givenUp
    case .paysAndAppDies:
      try await silent.add(payment)
      await die()
    case .appDies: await die()
    case .paysAndSeemsToFail:
      try await silent.add(payment)
      throw fail(payment, StoreFailure(code: 0, explanation: "it failed, says the device"))
    case .paysAndSeemsToCancel:
      try await silent.add(payment)
      throw Self.givenUp
    case .paysAndNothingIsHeard: try await silent.add(payment)
    case .interrupted(let span):
      if let span { handset.charge(payment, after: span, keepsToken: false) }
      throw fail(payment, StoreFailure(.other, code: 0, innerCode: 3038, explanation: "new terms wait"))
    case .asksParents(let span):
      if let span { handset.charge(payment, after: span, keepsToken: true) }
      yield(entry(payment, .deferred))
    }
  }

  private static let givenUp = StoreFailure(code: 2, isCancelled: true, explanation: "the customer gave up")

  private func fail(_ payment: StorePayment, _ failure: StoreFailure) -> StoreFailure {
    yield(entry(payment, .failed(failure)))
    return failure
  }

  private func think(_ span: TimeSpan) async { try? await process.dependencies().sleep(span) }

  /// Kills the app; its pending call never gets an answer.
  private func die() async {
    handset.kill(process)
    await think(.days(1))
  }

  private func yield(_ entry: StoreTransaction) {
    handset.note(.shows(entry))
    for listener in listeners.withLock({ $0 }) { listener.yield(entry) }
  }

  private func entry(_ payment: StorePayment, _ state: StoreTransaction.State) -> StoreTransaction {
    let number = lastHandle.withLock { number in
      number += 1
      return number
    }
    var entry = StoreTransaction(handle: "pending-\(number)", state: state, quantity: payment.quantity)
    entry.product = payment.product
    entry.token = payment.token
    return entry
  }
}
