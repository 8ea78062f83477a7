import AppStoreSimulator
import Counterfoil
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulatedDevice
import SimulationKit
import SimulatorCore
import TestDoubles
import Testing

/// Apple, the real server, and phones that run the shipped adapters over the shims of Apple's frameworks. All run in
/// one thread with one seed. Apps can be killed between any two of their jobs.
final class ClientFixture {
  private let simulator: SimulatorFixture
  let store: SimulatedAppStore
  let server: TestServer
  private(set) var phones: [Phone] = []
  private var apps: [SimulatedProcess] = []

  var simulation: SimulatedWorld { simulator.world }
  var apple: SimulatedProcess { simulator.process }

  /// - Parameters:
  ///   - notifies: whether Apple's notifications reach the server.
  ///   - signsOffers: whether the server has a key of Apple's to sign offers with.
  ///   - isStrict: whether the server demands the device's proof for each claim.
  init(seed: UInt64 = 1, notifies: Bool = false, signsOffers: Bool = false, isStrict: Bool = false) throws {
    simulator = SimulatorFixture("Apple", seed: seed)
    let dependencies = simulator.dependencies
    let route = LateExchange()
    store = try simulator.perform {
      let store = try await SimulatedAppStore.open(in: dependencies, notifying: route.exchange)
      try await TestShop.stock(store, notifies: notifies)
      return store
    }
    server = try TestServer(
      simulator.world, trusting: store.authority.root, offersBy: signsOffers ? store.testAPIKey : nil,
      isStrict: isStrict)
    route.open(to: server.exchange)
    let engine = server.engine
    server.process.spawn { await engine.run() }
    if notifies {
      let store = store
      apple.spawn { await NotificationSender(store).run() }
    }
  }

  /// A new phone with an Apple account.
  func phone(_ interface: Phone.Interface, account: String = "anna@icloud") throws -> Phone {
    let id = AppleAccountIdentifier(account)
    let store = store
    try simulation.perform(in: apple) {
      try await store.catalog.setAccount(SimulatedAppleAccount(id: id, environment: .production))
    }
    return add(AppleAccount(id), interface)
  }

  /// Another phone of the same Apple account.
  func secondPhone(of phone: Phone) -> Phone { add(phone.device.account, phone.interface) }

  private func add(_ account: AppleAccount, _ interface: Phone.Interface) -> Phone {
    let device = Device(
      "phone \(phones.count + 1)", account: account, at: store, bundleId: TestShop.bundleId,
      dependencies: apple.dependencies())
    apple.spawn { await device.run() }
    let phone = Phone(device, interface, in: self)
    phones.append(phone)
    return phone
  }

  var now: Timestamp { simulation.now }

  func nextProcess() -> SimulatedProcess {
    let process = SimulatedProcess("app", number: 11 + apps.count, in: simulation)
    apps.append(process)
    return process
  }

  /// Tests make thousands of worlds in sequence: without this their memory is never released.
  deinit { simulation.end([apple, server.process] + apps) }

  /// Runs something in Apple's process.
  func atApple<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) throws -> Answer {
    let store = store
    return try simulation.perform(in: apple) { try await body(store) }
  }

  /// Runs the world for a span of time.
  func goOn(for span: TimeSpan = .minutes(10)) {
    if simulation.run(for: span, stepsMax: Self.stepsMax) { return }
    Issue.record(
      """
      the world spins at \(simulation.now.iso8601), Apple after \(apple.steps) jobs, server \(server.process.steps), \
      apps \(phones.map { $0.steps }): \(phones.map { $0.eventLog.lines.suffix(12) })
      """)
  }

  /// The most steps of one run; a queue of 150 needs a tenth of them.
  private static let stepsMax = 300_000

  /// A purchase by a phone's Apple account without any order.
  func buyOutside(
    _ phone: Phone, _ product: StoreProductIdentifier, byDevice: Bool = false
  ) throws -> TransactionIdentifier {
    var request = SimulatedPurchaseRequest(
      owner: AppOwner(account: phone.device.account.id, bundleId: TestShop.bundleId), product: product)
    if byDevice { request.deviceVerificationId = phone.device.identifier }
    let asked = request
    return try atApple { try await $0.purchases.purchase(asked) }.transaction.id
  }

  var charges: [SimulatedCharge] { (try? atApple { await $0.charges() }) ?? [] }

  // MARK: what must hold

  /// The user who was granted a charge, if any.
  func owner(of charge: SimulatedCharge) throws -> UserIdentifier? {
    let (server, id) = (server, charge.transaction.id)
    return try simulation.perform(in: server.process) {
      try await server.database.read { reading in
        let key = PaymentKey(
          app: TestShop.id, store: .appStore, environment: .simulated, transaction: id)
        return try reading.grant(try reading.duplicate(key)?.of ?? key)?.user
      }
    }
  }

  /// The order that a charge was matched with, and the rule of the match.
  func match(of charge: SimulatedCharge) throws -> MatchRecord? {
    let (server, id) = (server, charge.transaction.id)
    return try simulation.perform(in: server.process) {
      try await server.database.read { reading in
        try reading.payment(
          PaymentKey(app: TestShop.id, store: .appStore, environment: .simulated, transaction: id))?.match
      }
    }
  }

  func coins(of user: UserIdentifier) throws -> Int64 {
    let server = server
    return try simulation.perform(in: server.process) {
      try await server.engine.readBalances(of: user, in: TestShop.appEnvironment).first { $0.unit == "coin" }?.amount
        ?? 0
    }
  }

  /// The names of a user's entitlements.
  func rights(of user: UserIdentifier) throws -> [String] {
    let server = server
    return try simulation.perform(in: server.process) {
      try await server.engine.readEntitlements(of: user, in: TestShop.appEnvironment).map(\.entitlement.text)
    }
  }

  /// Everything that is wrong: a charge without its grant, a grant without its charge, a finish before the grant. Also
  /// a queue or a vault that is not empty, a broken rule of money, a job that left the world.
  func faults(owner: UserIdentifier = "anna", leavesOrders: Bool = false) throws -> [String] {
    var faults: [String] = []
    var coins: Int64 = 0
    for charge in charges {
      let granted = try self.owner(of: charge)
      if granted != owner { faults.append("\(charge.transaction.id) was granted to \(granted?.text ?? "nobody")") }
      let pieces: [String: Int64] = ["com.example.coins6": 6, "com.example.coins12": 12, "com.example.coins100": 100]
      let piece = pieces[charge.transaction.product.text] ?? 0
      coins += piece * Int64(charge.transaction.quantity)
    }
    let balance = try self.coins(of: owner)
    if balance != coins { faults.append("\(owner) has \(balance) coins and paid for \(coins)") }
    for phone in phones {
      let entries = phone.device.entries
      if !entries.isEmpty { faults.append("\(phone.device.name) queues \(entries)") }
      let records = phone.openRecords
      if !leavesOrders, !records.isEmpty { faults.append("\(phone.device.name) keeps \(records)") }
    }
    let server = server
    let violations = try simulation.perform(in: server.process) {
      try await server.engine.auditInvariants(atRest: true).violations
    }
    faults += violations.map { "\($0)" }
    if simulation.escapedJobs > 0 { faults.append("\(simulation.escapedJobs) jobs left the world") }
    return faults
  }

  /// Runs the world until something holds, for half an hour at most.
  func goOn(until holds: () -> Bool) {
    let end = simulation.now + .minutes(30)
    simulation.run(until: { holds() || simulation.now > end }, stepsMax: Self.stepsMax)
  }

  /// The transactions of the phone's account that are unfinished at Apple.
  func unfinished(of phone: Phone) throws -> [TransactionIdentifier] {
    let owner = AppOwner(account: phone.device.account.id, bundleId: TestShop.bundleId)
    return try atApple { try await $0.unfinishedTransactions(of: owner) }.map(\.transaction.id)
  }
}
