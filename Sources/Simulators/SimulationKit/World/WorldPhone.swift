import AppStoreSimulator
import Counterfoil
import CounterfoilAPI
import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON
import Synchronization

/// A phone with its users: an Apple account, a disk, and the consecutive runs of the app. The app is the real client
/// library.
final class WorldPhone: Sendable {
  struct Run: Sendable {
    let process: SimulatedProcess
    let app: Purchasing
    let start: @Sendable (@escaping @Sendable () async -> Void) -> Void
  }

  private struct State {
    var closedAt: Timestamp?
    var run: Run?
    var user: UserIdentifier?
    var signedIn: [UserIdentifier: Timestamp] = [:]
    /// Purchases that a user began and that the app has not answered.
    var open: [WorldTap] = []
    var taps: [WorldTap] = []
    var sheets: [WorldSheet] = []
    var claims: [WorldClaim] = []
    var handOvers: [WorldHandOver] = []
    var restores: [WorldRestore] = []
    var closed: Set<OrderIdentifier> = []
    var finished: [TransactionIdentifier: Timestamp] = [:]
    var lastFinished: [TransactionIdentifier: Timestamp] = [:]
  }

  let number: Int
  let plan: WorldPlan.PhonePlan
  let context: SimulationContext
  let handset: any WorldHandset
  /// WeChat, on a phone whose app sells through it.
  let weChat: WorldWeChat?
  private let auditor: any PaymentDatabase
  private let state = Mutex(State())

  init(
    _ number: Int, _ plan: WorldPlan.PhonePlan, context: SimulationContext, handset: any WorldHandset,
    database: WorldDatabase, weChatPay: WorldWeChatPay
  ) {
    self.number = number
    self.plan = plan
    self.context = context
    self.handset = handset
    let world = context.world
    auditor = database.connect(now: { world.now })
    weChat = plan.isAndroid ? WorldWeChat(number, context, weChatPay: weChatPay) : nil
    weChat?.whenBack { [weak self] in self?.comeBack() }
  }

  private var merges: WorldMerges { context.merges }
  var name: String { "phone \(number)" }
  var run: Run? { state.withLock { $0.run } }
  var sheets: [WorldSheet] { merges.presently(state.withLock { $0.sheets }) { merges.present($0) } }
  var claims: [WorldClaim] { merges.presently(state.withLock { $0.claims }) { merges.present($0) } }
  var handOvers: [WorldHandOver] { merges.presently(state.withLock { $0.handOvers }) { merges.present($0) } }
  var closedAt: Timestamp? { state.withLock { $0.closedAt } }
  var restores: [WorldRestore] { merges.presently(state.withLock { $0.restores }) { merges.present($0) } }
  /// The time when it first finished each transaction: the server had answered by then.
  var finished: [TransactionIdentifier: Timestamp] { state.withLock { $0.finished } }
  /// The last time: the store loses some of these calls.
  var lastFinished: [TransactionIdentifier: Timestamp] { state.withLock { $0.lastFinished } }
  /// The last time that each user signed in.
  var signedIn: [UserIdentifier: Timestamp] { context.merges.present(state.withLock { $0.signedIn }) }
  /// Orders that a server has reported to this phone as closed.
  var closed: Set<OrderIdentifier> { state.withLock { $0.closed } }
  /// All taps on "buy" on this phone.
  var taps: [WorldTap] { merges.presently(state.withLock { $0.taps }) { merges.present($0) } }

  func record(_ what: String, _ mark: CoverageMark? = nil) { context.events.record(name, what, mark: mark) }

  // MARK: runs of the app

  /// Starts the app.
  ///
  /// - Parameter listens: whether the app begins at once to listen to its queue; otherwise call `listen`.
  func launch(listens: Bool = true) throws {
    let process = context.process(name)
    let dependencies = process.dependencies(skew: plan.skew)
    let world = context.world
    var configuration = PurchasingConfiguration(server: WorldShop.serverURL, app: WorldShop.id) { request in
      WorldShop.userToken(for: request.user, at: world.now)
    }
    configuration.platform = plan.isAndroid ? "android" : "ios"
    let run = handset.launch(in: process, dependencies)
    let app = try Purchasing(
      configuration, queue: context.substitutions.queue(WatchedQueue(phone: self, inner: run.queue)), vault: run.vault,
      exchange: listening(context.substitutions.gateway(context.exchange(from: .phone(number), to: .server))),
      dependencies: dependencies,
      weChat: weChat.map { WorldWeChatApp(phone: self, weChat: $0) })
    state.withLock { state in
      state.run = Run(process: process, app: app, start: run.start)
      state.user = nil
    }
    process.whenKilled { [weak self] in self?.wasKilled() }
    record("the app starts")
    if listens { listen() }
  }

  /// Starts the app's work; an app that already works is not affected.
  func listen() {
    guard let run else { return }
    run.start { await run.app.run() }
  }

  /// Wraps the server connection to record what the phone is told about orders.
  private func listening(_ server: HTTPExchange) -> HTTPExchange {
    HTTPExchange { [weak self] request, limit throws(HTTPExchangeError) in
      let response = try await server.send(request, limit)
      if request.target.contains("/v1/orders"), let body = try? JSONReader.read(response.body) { self?.note(body) }
      return response
    }
  }

  private func note(_ body: JSONValue) {
    for order in [body] + (body["orders"]?.array ?? []) {
      guard order["state"]?.string == "closed", let id = order["id"]?.string.flatMap({ OrderIdentifier($0) })
      else { continue }
      state.withLock { _ = $0.closed.insert(id) }
    }
  }

  private func wasKilled() {
    let run = state.withLock { state -> Run? in
      defer { state.run = nil }
      state.open = []
      return state.run
    }
    let (hadSheet, heldCharge) = (handset.hasOpenSheet, handset.holdsCharge)
    handset.appWasKilled()
    weChat?.appWasKilled()
    guard run != nil, !context.isOver else { return }
    state.withLock { $0.closedAt = context.world.now }
    record("the app is killed", .appKilled)
    if hadSheet { context.events.mark(.appKilledDuringSheet) }
    if heldCharge { context.events.mark(.appKilledAfterCharge) }
    if weChat?.isOpen == true { context.events.mark(.appKilledDuringWeChat) }
  }

  func signIn(_ user: UserIdentifier) async {
    let before = state.withLock { state in
      defer { state.user = user }
      return state.user
    }
    if let before, before != user {
      context.events.mark(.userSwitched)
      if weChat?.isOpen == true { context.events.mark(.userSwitchedDuringWeChat) }
    }
    record("\(user) signs in")
    let now = context.world.now
    state.withLock { $0.signedIn[user] = now }
    _ = await inApp(atMost: .minutes(1)) { await $0.setUser(user) }
  }

  func signOut() async {
    state.withLock { $0.user = nil }
    record("the user signs out")
    _ = await inApp(atMost: .minutes(1)) { await $0.setUser(nil) }
  }

  /// Buys as the current user, and waits until the app answers or the patience is over.
  func buy(_ product: ProductIdentifier, _ quantity: Int, patience: TimeSpan) async {
    guard let user = state.withLock({ $0.user }), run != nil else { return }
    let tap = WorldTap(user: user, product: product, quantity: quantity, at: context.world.now)
    state.withLock { state in
      state.open.append(tap)
      state.taps.append(tap)
    }
    record("\(user) buys \(quantity) × \(product)")
    let store: Store? = plan.isAndroid ? .weChatPay : nil
    let outcome = await inApp(atMost: patience) { app -> Result<PurchaseOutcome, PurchasingError> in
      do throws(PurchasingError) {
        return .success(try await app.purchase(product, quantity: quantity, store: store))
      } catch { return .failure(error) }
    }
    switch outcome {
    case .success(let outcome):
      record("the app tells \(user): \(outcome)")
      if case .fulfilled(let order, let isRecovered) = outcome {
        let claim = WorldClaim(user: user, order: order, isRecovered: isRecovered)
        state.withLock { $0.claims.append(claim) }
        await check(claim)
      }
    case .failure(let error): record("the app tells \(user): \(error.code.rawValue)")
    case nil: record("\(user) looks away")
    }
  }

  func recover(atMost span: TimeSpan) async -> RecoveryReport? {
    handset.comeToForeground()
    return await inApp(atMost: span) { await $0.recover(.foreground) }
  }

  /// Taps "restore purchases" as the current user.
  func restore(atMost span: TimeSpan) async {
    guard let user = state.withLock({ $0.user }), run != nil else { return }
    record("\(user) restores")
    let beginning = context.world.now
    let report = await inApp(atMost: span) { try? await $0.restorePurchases() }
    let restore = WorldRestore(
      user: user, account: plan.account, from: beginning, to: context.world.now, isDone: report??.isComplete == true)
    state.withLock { $0.restores.append(restore) }
  }

  func loseVault() {
    record("the vault is lost", .vaultLost)
    handset.loseVault()
  }

  /// Runs an action in the running app; nil if it takes longer, or the app is killed meanwhile.
  private func inApp<Answer: Sendable>(
    atMost span: TimeSpan, _ body: @escaping @Sendable (Purchasing) async -> Answer
  ) async -> Answer? {
    guard let run else { return nil }
    let letter = NetworkMessage<Answer>()
    run.start { letter.answer(await body(run.app)) }
    return await context.wait(for: letter, atMost: span)
  }

  /// The customer comes back from WeChat, and the app notices.
  private func comeBack() {
    guard let run else { return }
    run.start { _ = await run.app.recover(.foreground) }
  }

  /// Checks that the app reports "paid" only after the server does.
  private func check(_ claim: WorldClaim) async {
    let policy = context.plan.aftermath.restore
    // A user is shown the order's counterpart that a tester paid in the sandbox, marked.
    let keys = [context.appEnvironment.environment, .sandbox].map { environment in
      OrderKey(appEnvironment: AppEnvironment(app: WorldShop.id, environment: environment), id: claim.order)
    }
    let isGranted = try? await auditor.read { reader in
      try keys.contains { try reader.grants($0, isRecovered: claim.isRecovered, under: policy) }
    }
    if isGranted == true { return }
    context.events.reportViolation("\(name) tells of the order \(claim.order) as granted, which the server does not")
  }

  /// Checks an order handed to WeChat: a user of this run must have requested a purchase.
  func opensWeChat(_ request: WeChatPayRequest) {
    guard let order = request.extData.flatMap({ OrderIdentifier($0) }) else {
      return context.events.reportViolation("\(name) hands WeChat something that names no order")
    }
    let isAsked = state.withLock { state in
      state.handOvers.append(
        WorldHandOver(order: order, users: Set(state.open.map(\.user))))
      return !state.open.isEmpty
    }
    guard isAsked else { return context.events.reportViolation("\(name) opened WeChat, and no user had asked for it") }
    record("WeChat opens for order \(order)")
  }

  // MARK: checks of the queue

  func opensSheet(_ payment: StorePayment) {
    let product = context.catalog.products(for: payment.product).first?.id
    let now = context.world.now
    let isAsked = state.withLock { state in
      let taps = state.open.filter { $0.product == product }
      let users = Set(taps.map(\.user))
      state.sheets.append(
        WorldSheet(
          token: payment.token, users: users, account: plan.account, product: payment.product,
          quantity: payment.quantity, tappedAt: taps.map(\.at).min(), openedAt: now, phone: number))
      return !users.isEmpty
    }
    guard isAsked else { return context.events.reportViolation("\(name) opened a sheet that no user had asked for") }
    record("the sheet opens for order \(payment.token)")
    handset.willOpenSheet(payment)
  }

  /// Invariant 6: a client finishes only transactions that the server's answer lets it finish.
  func checkFinish(_ transaction: Counterfoil.StoreTransaction) async {
    guard let id = transaction.id, transaction.isEvidence else { return }
    let key = PaymentKey(
      app: WorldShop.id, store: .appStore, environment: context.appEnvironment.environment, transaction: id)
    let payment = try? await auditor.read { (store) -> Payment? in
      try store.payment(try store.duplicate(key)?.of ?? key)
    }
    switch payment?.state {
    case .fulfilled, .reversed, .reinstated, .revoked, .held, .setAside, .imported:
      let now = context.world.now
      state.withLock { ($0.finished[id], $0.lastFinished[id]) = ($0.finished[id] ?? now, now) }
      record("finishes transaction \(id)")
    case .verified, .unclaimed, nil:
      context.events.reportViolation("\(name) finishes transaction \(id), which the server has not decided")
    }
  }
}
