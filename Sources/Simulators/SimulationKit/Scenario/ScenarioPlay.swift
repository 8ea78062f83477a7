import AppStoreSimulator
import Counterfoil
import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import Synchronization
import WeChatPaySimulator

/// The hands that a scenario plays with: people's thumbs, Apple's and WeChat's machines, time, and the books.
final class ScenarioPlay: Sendable {
  let stage: SimulationContext
  let ledger: ScenarioLedger
  let questions: ScenarioQuestions
  private let parts: ScenarioParts
  private let notes = Mutex<[ScenarioReport.Step]>([])

  init(_ parts: ScenarioParts, _ questions: ScenarioQuestions) {
    self.parts = parts
    self.questions = questions
    stage = parts.stage
    ledger = parts.ledger
  }

  var steps: [ScenarioReport.Step] { notes.withLock { $0 } }

  // MARK: telling

  func say(_ english: String, _ chinese: String) { note(BilingualText(english, chinese), nil) }

  /// Looks into the books, and tells what they say.
  func holds(
    _ english: String, _ chinese: String, _ check: (ScenarioLedger) async throws -> Bool
  ) async throws {
    note(BilingualText(english, chinese), try await check(ledger))
  }

  private func note(_ text: BilingualText, _ holds: Bool?) {
    stage.story.tell("scenario", text.english)
    let after = stage.world.now - SimulatedWorld.beginning
    notes.withLock { $0.append(ScenarioReport.Step(after: after, text: text, holds: holds)) }
  }

  // MARK: people

  func phone(_ number: Int = 0) -> WorldPhone { parts.phones[number] }
  func handset(_ number: Int = 0) -> ScenarioHandset { parts.handsets[number] }

  /// Somebody opens the app and is signed in.
  func open(_ user: UserIdentifier, on number: Int = 0) async throws {
    try phone(number).launch()
    await phone(number).signIn(user)
  }

  /// Somebody buys; the customer before the sheet does what is said.
  ///
  /// - Parameter patience: how long he looks at the screen.
  func buy(
    _ product: ProductIdentifier, quantity: Int = 1, on number: Int = 0, _ answer: ScenarioAnswer = .pays,
    patience: TimeSpan = .minutes(3)
  ) async {
    parts.handsets[number].will([answer])
    await phone(number).buy(product, quantity, patience: patience)
  }

  /// Somebody buys through WeChat Pay; what he does in WeChat is said by `willInWeChat`.
  func buyOnAndroid(_ product: ProductIdentifier, on number: Int = 0) async {
    await phone(number).buy(product, 1, patience: .minutes(3))
  }

  func close(_ number: Int = 0) { phone(number).run?.process.kill() }

  /// The app is told a second time to listen to its queue.
  func listenAgain(_ number: Int = 0) async {
    phone(number).listen()
    try? await pass(.seconds(5))
  }

  /// The app comes to the foreground.
  func foreground(_ number: Int = 0) async { _ = await phone(number).recover(atMost: .minutes(3)) }

  /// The app is started again by whoever was last signed in.
  func reopen(_ user: UserIdentifier, on number: Int = 0) async throws {
    close(number)
    try await pass(.seconds(5))
    try await open(user, on: number)
    await foreground(number)
  }

  /// The customer taps "restore purchases".
  func restore(_ number: Int = 0) async {
    guard let run = phone(number).run else { return }
    let letter = NetworkMessage<Bool>()
    run.start {
      _ = try? await run.app.restorePurchases()
      letter.answer(true)
    }
    _ = await stage.wait(for: letter, atMost: .minutes(3))
  }

  /// What the customer does in WeChat at his next visits.
  func willInWeChat(_ visits: WeChatVisitScript..., on number: Int = 0) { phone(number).weChat?.will(visits) }

  // MARK: the world

  /// Has something happen at the same time.
  func director(_ work: @escaping @Sendable () async -> Void) { stage.director.spawn(work) }

  func pass(_ span: TimeSpan) async throws { try await stage.sleep(span) }

  /// Has something done at Apple.
  @discardableResult
  func atApple<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws -> Answer {
    try await parts.appStore.insist(body)
  }

  /// Has something done at WeChat Pay.
  @discardableResult
  func atWeChatPay<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedWeChatPay) async throws -> Answer
  ) async throws -> Answer {
    try await parts.weChatPay.insist(body)
  }

  /// Turns a knob of the simulated App Store.
  func knob(_ knob: SimulatorKnob, _ value: Int64 = 1) async throws {
    try await atApple { try await $0.setKnob(knob, to: value) }
  }

  /// The server is down until `startServer`.
  func stopServer() { parts.server.process?.kill() }
  func startServer() async throws { try await parts.startServer() }

  /// The last transaction that Apple knows of a product.
  func lastTransaction(of product: StoreProductIdentifier) async throws -> TransactionIdentifier {
    let all = try await atApple { await $0.transactions() }
    guard let last = all.last(where: { $0.product == product }) else { throw ScenarioBroken() }
    return last.id
  }
}

/// A scenario cannot go on as it is written.
struct ScenarioBroken: Error {}

/// The parts of a scenario's world.
struct ScenarioParts: Sendable {
  let stage: SimulationContext
  let database: WorldDatabase
  let appStore: WorldAppStore
  let weChatPay: WorldWeChatPay
  let backend: WorldBackend
  let server: WorldServer
  let phones: [WorldPhone]
  /// By the numbers of phones; Android phones have none.
  let handsets: [ScenarioHandset]
  let director: Workload
  let ledger: ScenarioLedger

  init(_ stage: SimulationContext) {
    self.stage = stage
    let database = WorldDatabase.newReference
    self.database = database
    let appStore = WorldAppStore(stage)
    let weChatPay = WorldWeChatPay(stage)
    (self.appStore, self.weChatPay) = (appStore, weChatPay)
    backend = WorldBackend(stage)
    server = WorldServer(0, stage, database, appStore, weChatPay)
    let plans = stage.plan.phones
    handsets = plans.enumerated().filter { !$0.element.isAndroid }.map {
      ScenarioHandset(stage.handsetSetting(of: $0.offset, $0.element, appStore))
    }
    let apples = handsets
    phones = plans.indices.map { number in
      let handset: any WorldHandset =
        plans[number].isAndroid ? AndroidHandset(number, stage) : apples[number]
      return WorldPhone(number, plans[number], stage, handset, database, weChatPay)
    }
    director = Workload(
      stage: stage, appStore: appStore, weChatPay: weChatPay, servers: [server], backend: backend, phones: phones)
    let world = stage.world
    ledger = ScenarioLedger(
      stage: stage, store: database.store(now: { world.now }), backend: backend)
  }

  func start() async throws {
    let (server, backend) = (server, backend)
    stage.open(.server) { server.attendance($0, from: "192.0.2.1") }
    stage.open(.backend) { backend.attendance($0) }
    await appStore.start()
    backend.start()
    await weChatPay.start()
    try await director.registerBackend(in: database)
    try await startServer()
  }

  func startServer() async throws {
    guard let store = appStore.store, let platform = weChatPay.platform else { throw ScenarioBroken() }
    try await server.start(trusting: store, platform)
  }
}
