import AppStoreSimulator
import Counterfoil
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SimulatorCore
import Synchronization
import WeChatPaySimulator

/// The actions of a scenario: on phones, at Apple and WeChat Pay, on time, and on the ledger.
final class ScenarioPlay: Sendable {
  let context: SimulationContext
  let ledger: ScenarioLedger
  let questions: ScenarioQuestions
  private let parts: ScenarioParts
  private let notes = Mutex<[ScenarioReport.Step]>([])

  init(_ parts: ScenarioParts, _ questions: ScenarioQuestions) {
    self.parts = parts
    self.questions = questions
    context = parts.context
    ledger = parts.ledger
  }

  var steps: [ScenarioReport.Step] { notes.withLock { $0 } }

  // MARK: steps of the report

  func say(_ english: String, _ chinese: String) { note(BilingualText(english, chinese), nil) }

  /// Checks the ledger, and records the result as a step.
  func holds(
    _ english: String, _ chinese: String, _ check: (ScenarioLedger) async throws -> Bool
  ) async throws {
    note(BilingualText(english, chinese), try await check(ledger))
  }

  private func note(_ text: BilingualText, _ holds: Bool?) {
    context.events.record("scenario", text.english)
    let after = context.world.now - SimulatedWorld.beginning
    notes.withLock { $0.append(ScenarioReport.Step(after: after, text: text, holds: holds)) }
  }

  // MARK: users

  func phone(_ number: Int = 0) -> WorldPhone { parts.phones[number] }
  func handset(_ number: Int = 0) -> ScenarioHandset { parts.handsets[number] }

  /// Opens the app and signs the user in.
  func open(_ user: UserIdentifier, on number: Int = 0) async throws {
    try phone(number).launch()
    await phone(number).signIn(user)
  }

  /// Buys; the customer answers the payment sheet as given.
  ///
  /// - Parameter patience: how long the customer waits for the app's answer.
  func buy(
    _ product: ProductIdentifier, quantity: Int = 1, on number: Int = 0, _ answer: ScenarioAnswer = .pays,
    patience: TimeSpan = .minutes(3)
  ) async {
    parts.handsets[number].will([answer])
    await phone(number).buy(product, quantity, patience: patience)
  }

  /// Buys through WeChat Pay; `willInWeChat` sets what the customer does in WeChat.
  func buyOnAndroid(_ product: ProductIdentifier, on number: Int = 0) async {
    await phone(number).buy(product, 1, patience: .minutes(3))
  }

  func close(_ number: Int = 0) { phone(number).run?.process.kill() }

  /// Makes the app listen to its queue a second time.
  func listenAgain(_ number: Int = 0) async {
    phone(number).listen()
    try? await pass(.seconds(5))
  }

  /// Brings the app to the foreground.
  func foreground(_ number: Int = 0) async { _ = await phone(number).recover(atMost: .minutes(3)) }

  /// Restarts the app and signs the user in.
  func reopen(_ user: UserIdentifier, on number: Int = 0) async throws {
    close(number)
    try await pass(.seconds(5))
    try await open(user, on: number)
    await foreground(number)
  }

  /// Taps "restore purchases".
  func restore(_ number: Int = 0) async {
    guard let run = phone(number).run else { return }
    let letter = NetworkMessage<Bool>()
    run.start {
      _ = try? await run.app.restorePurchases()
      letter.answer(true)
    }
    _ = await context.wait(for: letter, atMost: .minutes(3))
  }

  /// Sets what the customer does on the next visits to WeChat.
  func willInWeChat(_ visits: WeChatVisitScript..., on number: Int = 0) { phone(number).weChat?.will(visits) }

  // MARK: the stores, the server, time

  /// Runs an action at the same time.
  func director(_ work: @escaping @Sendable () async -> Void) { context.director.spawn(work) }

  func pass(_ span: TimeSpan) async throws { try await context.sleep(span) }

  /// Runs an action at the simulated App Store.
  @discardableResult
  func atApple<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws -> Answer {
    try await parts.appStore.insist(body)
  }

  /// Runs an action at the simulated WeChat Pay.
  @discardableResult
  func atWeChatPay<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedWeChatPay) async throws -> Answer
  ) async throws -> Answer {
    try await parts.weChatPay.insist(body)
  }

  /// Changes a behaviour setting of the simulated App Store.
  func behaviour(_ behaviour: SimulatorBehaviour, _ value: Int64 = 1) async throws {
    try await atApple { try await $0.setBehaviour(behaviour, to: value) }
  }

  /// Stops the server until `startServer`.
  func stopServer() { parts.server.process?.kill() }
  func startServer() async throws { try await parts.startServer() }

  /// The last transaction of a product at Apple.
  func lastTransaction(of product: StoreProductIdentifier) async throws -> TransactionIdentifier {
    let all = try await atApple { await $0.transactions() }
    guard let last = all.last(where: { $0.product == product }) else { throw ScenarioBroken() }
    return last.id
  }
}

/// A scenario cannot continue as it is written.
struct ScenarioBroken: Error {}

/// The parts of a scenario's world.
struct ScenarioParts: Sendable {
  let context: SimulationContext
  let database: WorldDatabase
  let appStore: WorldAppStore
  let weChatPay: WorldWeChatPay
  let backend: WorldBackend
  let server: WorldServer
  let phones: [WorldPhone]
  /// By phone number; Android phones have none.
  let handsets: [ScenarioHandset]
  let director: Workload
  let ledger: ScenarioLedger

  init(_ context: SimulationContext) {
    self.context = context
    let database = WorldDatabase.newReference
    self.database = database
    let appStore = WorldAppStore(context)
    let weChatPay = WorldWeChatPay(context)
    (self.appStore, self.weChatPay) = (appStore, weChatPay)
    backend = WorldBackend(context)
    server = WorldServer(0, context, database: database, appStore: appStore, weChatPay: weChatPay)
    let plans = context.plan.phones
    handsets = plans.enumerated().filter { !$0.element.isAndroid }.map {
      ScenarioHandset(context.handsetSetting(of: $0.offset, $0.element, appStore))
    }
    let apples = handsets
    phones = plans.indices.map { number in
      let handset: any WorldHandset =
        plans[number].isAndroid ? AndroidHandset(number, context) : apples[number]
      return WorldPhone(
        number, plans[number], context: context, handset: handset, database: database, weChatPay: weChatPay)
    }
    director = Workload(
      context: context, appStore: appStore, weChatPay: weChatPay, servers: [server], backend: backend, phones: phones,
      database: database)
    let world = context.world
    ledger = ScenarioLedger(
      context: context, database: database.connect(now: { world.now }), backend: backend)
  }

  func start() async throws {
    let (server, backend) = (server, backend)
    context.open(.server) { server.attendance($0, from: "192.0.2.1") }
    context.open(.backend) { backend.attendance($0) }
    await appStore.start()
    backend.start()
    await weChatPay.start()
    await database.insertKeys(of: context)
    try await startServer()
  }

  func startServer() async throws {
    guard let store = appStore.store, let platform = weChatPay.platform else { throw ScenarioBroken() }
    try await server.start(trusting: store, platform)
  }
}
