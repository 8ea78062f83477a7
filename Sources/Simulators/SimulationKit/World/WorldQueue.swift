import AppStoreSimulator
import Counterfoil
import PaymentPrimitives
import Synchronization

/// A payment sheet that was opened: the oracle uses it to find out who ordered what.
struct WorldSheet: Hashable, Sendable {
  let token: OrderIdentifier
  /// The users who had requested that product in that run of the app: nearly always one.
  let users: Set<UserIdentifier>
  let account: String
  let product: StoreProductIdentifier
  let quantity: Int
  /// The earliest tap that was not answered yet; nil without such a tap.
  let tappedAt: Timestamp?
  let openedAt: Timestamp
  let phone: Int
}

/// The payment queue of one run of an app, with a simulated customer. The customer waits, cancels, or needs a parent's
/// approval; the App Store's callback may be wrong or never come.
final class WorldQueue: StoreQueue {
  private struct State {
    var listeners: [AsyncStream<StoreTransaction>.Continuation] = []
    var chance: SeededChance
    var lastHandle = 0
    var openSheets = 0
    var charged: Set<StoreProductIdentifier> = []
  }

  private enum Mood { case pays, givesUp, asksParents, isToldFailure }

  private let setting: WorldHandsetSetting
  private let process: SimulatedProcess
  private let telling: SimulatedStoreQueue
  private let silent: SimulatedStoreQueue
  private let state: Mutex<State>

  /// The queue of a run.
  ///
  /// - Parameter receipt: the phone's app receipt, if it is the app's evidence; otherwise nil.
  init(_ setting: WorldHandsetSetting, _ process: SimulatedProcess, receipt: SimulatedReceiptFile?) {
    self.setting = setting
    self.process = process
    let interface: SimulatedPurchaseRequest.Interface = setting.isStoreKit1 ? .storeKit1 : .storeKit2
    telling = SimulatedStoreQueue(
      setting.link, owner: setting.owner, device: setting.identifier, interface: interface, receipt: receipt)
    silent = SimulatedStoreQueue(
      setting.link, owner: setting.owner, device: setting.identifier, tellsOfPurchases: false, interface: interface,
      receipt: receipt)
    state = Mutex(
      State(chance: SeededChance(seed: setting.seed, purpose: "customer \(setting.number) \(process.number)")))
  }

  /// Whether a payment sheet is open.
  var hasOpenSheet: Bool { state.withLock { $0.openSheets > 0 } }

  /// Whether something was charged in this run and not finished.
  var holdsCharge: Bool { state.withLock { !$0.charged.isEmpty } }

  func canMakePayments() async -> Bool { true }

  func deviceVerificationId() async -> String? { await telling.deviceVerificationId() }

  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    try await telling.products(ids)
  }

  func restore() async throws(StoreFailure) -> [StoreTransaction] { try await telling.restore() }

  func updates() async -> AsyncStream<StoreTransaction> {
    let (stream, continuation) = AsyncStream.makeStream(of: StoreTransaction.self)
    state.withLock { $0.listeners.append(continuation) }
    process.spawn { [telling] in
      for await transaction in await telling.updates() { continuation.yield(transaction) }
    }
    return stream
  }

  func unfinished() async throws(StoreFailure) -> [StoreTransaction] { try await telling.unfinished() }

  func freshEvidence(of transaction: StoreTransaction) async throws(StoreFailure) -> String? {
    let fresh = try await telling.freshEvidence(of: transaction)
    if setting.sendsReceipts { setting.mark(.receiptRefreshed) }
    return fresh
  }

  func add(_ payment: StorePayment) async throws(StoreFailure) {
    state.withLock { $0.openSheets += 1 }
    defer { state.withLock { $0.openSheets -= 1 } }
    let faults = setting.faults()
    let (mood, isSilent, thinking) = state.withLock { state in
      (
        Self.mood(&state.chance, faults), state.chance.happens(perMille: faults.callbackLost),
        TimeSpan.milliseconds(Int64(500 + state.chance.number(below: 20_000)))
      )
    }
    do { try await process.dependencies().sleep(thinking) } catch { throw StoreFailure(explanation: "cancelled") }
    switch mood {
    case .pays: try await pay(payment, isSilent: isSilent)
    case .givesUp:
      setting.record("the customer gives up on \(payment.product)", .customerCancelled)
      throw StoreFailure(code: 2, isCancelled: true, explanation: "the customer gave up")
    case .asksParents:
      setting.record("the customer asks a parent for \(payment.product)", nil)
      asksParents(payment)
      yield(entry(payment, .deferred))
    case .isToldFailure:
      try await pay(payment, isSilent: true)
      setting.record("the store charges and says that it failed", .failedThoughCharged)
      let failure = StoreFailure(code: 0, explanation: "it failed, says the store")
      yield(entry(payment, .failed(failure)))
      throw failure
    }
  }

  /// Requests a parent's approval. If it comes, minutes or hours later, the App Store charges, even if the phone is
  /// off.
  private func asksParents(_ payment: StorePayment) {
    let setting = setting
    var chance = SeededChance(seed: setting.seed, purpose: "parents \(payment.token)")
    let hours = 1 + chance.number(below: chance.happens(perMille: 200) ? 72 : 6)
    guard chance.happens(perMille: 800) else { return }
    var request = SimulatedPurchaseRequest(owner: setting.owner, product: payment.product)
    request.quantity = payment.quantity
    request.appAccountToken = AppStoreUUID(payment.token)
    request.deviceVerificationId = setting.identifier
    let asked = request
    let minutes = 1 + chance.number(below: 6)
    let isSoon = chance.happens(perMille: setting.faults().approvedSoon)
    setting.appoint(isSoon ? .minutes(Int64(minutes)) : .hours(Int64(hours))) {
      setting.record("the parents approve \(asked.product)", .approvedLater)
      _ = try? await setting.approvals.reach { store in
        // If the App Store was killed after the charge, the approval is retried: it must charge only once.
        let isCharged = await store.transactions().contains { $0.appAccountToken == asked.appAccountToken }
        if !isCharged { _ = try await store.purchases.purchase(asked) }
      }
    }
  }

  private func pay(_ payment: StorePayment, isSilent: Bool) async throws(StoreFailure) {
    do throws(StoreFailure) {
      try await (isSilent ? silent : telling).add(payment)
    } catch {
      if error.explanation == SimulatorErrorCode.answerLost.rawValue { setting.mark(.purchaseAnswerLost) }
      throw error
    }
    state.withLock { _ = $0.charged.insert(payment.product) }
  }

  func finish(_ transaction: StoreTransaction) async throws(StoreFailure) {
    try await telling.finish(transaction)
    if let product = transaction.product { state.withLock { _ = $0.charged.remove(product) } }
  }

  private static func mood(_ chance: inout SeededChance, _ faults: WorldHandsetFaults) -> Mood {
    if chance.happens(perMille: faults.customerCancels) { return .givesUp }
    if chance.happens(perMille: faults.approvalNeeded) { return .asksParents }
    return chance.happens(perMille: faults.failsThoughCharged) ? .isToldFailure : .pays
  }

  private func yield(_ entry: StoreTransaction) {
    for listener in state.withLock({ $0.listeners }) { listener.yield(entry) }
  }

  private func entry(_ payment: StorePayment, _ entryState: StoreTransaction.State) -> StoreTransaction {
    let handle = state.withLock { state in
      state.lastHandle += 1
      return "pending-\(state.lastHandle)"
    }
    var entry = StoreTransaction(handle: handle, state: entryState, quantity: payment.quantity)
    entry.product = payment.product
    entry.token = payment.token
    return entry
  }
}
