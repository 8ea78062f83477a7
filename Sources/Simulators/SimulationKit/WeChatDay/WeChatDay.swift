import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import SigningAuthorities
import SimulatorCore
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// A simulated day of orders at WeChat Pay, with every kind of fault, and the bill comparison of the next morning.
///
/// Payers pay, cancel, leave, pay late and are refunded. Answers are lost, cut, forged and late; notifications are
/// lost, doubled and reordered. Then the bill must be equal to the ledger to the fen, and each payment that WeChat Pay
/// recorded must be granted once.
package struct WeChatDay: Sendable {
  package struct Report: Sendable {
    /// Orders that were made here.
    package var orders = 0
    /// Orders that are paid according to WeChat Pay's own data.
    package var paid = 0
    /// Refunds that are complete according to WeChat Pay's own data.
    package var refunds = 0
    package var healed = 0
    package var unexplained = 0
    /// The sum of the bill, in fen: payments less refunds.
    package var billFen: Int64 = 0
    /// The sum of our ledger, in fen.
    package var ledgerFen: Int64 = 0
    package var steps = 0
    /// Violated rules, as sentences.
    package var problems: [String] = []
  }

  private let orders: Int
  private let seed: UInt64

  /// A day with this many orders.
  package init(orders: Int, seed: UInt64) {
    self.orders = orders
    self.seed = seed
  }

  /// Runs the day.
  ///
  /// - Parameter progress: gets each hour as it passes.
  package func run(progress: @escaping @Sendable (Int) -> Void = { _ in }) throws -> Report {
    let world = SimulatedWorld(seed: seed)
    let process = SimulatedProcess("day", number: 1, in: world)
    let shop = try WeChatDayShop(in: process, world)
    // From one Beijing midnight to the next.
    let start = Timestamp(seconds: (world.now.seconds + 8 * 3600) / 86_400 * 86_400 + 86_400 - 8 * 3600)
    world.run(for: start - world.now)
    process.spawn { await shop.engine.run() }
    process.spawn { await NotificationSender(shop.weChatPay).run() }
    try world.perform(in: process) { try await shop.planFaults() }
    let (seed, orders) = (seed, orders)
    process.spawn { await WeChatDayCrowd(shop, process, seed: seed, orders: orders).come() }
    for hour in 1...24 {
      world.run(for: .hours(1))
      progress(hour)
    }
    // The night: the bill is published, the schedule compares, and late notifications arrive.
    try world.perform(in: process) { try await shop.weChatPay.control.forgetFaults() }
    world.run(for: .hours(40))
    let judge = WeChatDayJudge(shop)
    var report = try world.perform(in: process) { try await judge.report(day: BeijingTime.day(start)) }
    report.steps = world.steps
    if world.escapedJobs > 0 { report.problems.append("\(world.escapedJobs) jobs left the world") }
    return report
  }
}

/// The fixture of a day: engine, database in memory, and WeChat Pay.
struct WeChatDayShop: Sendable {
  static let appEnvironment = AppEnvironment(app: "shop", environment: .simulated)
  static let mchid = "1900000001"
  private static let apiV3Key = "an APIv3 key made for tests 32 b"
  private static let serial = "5157F09EFDC096DE15EBE81A47057A7200000001"
  private static let merchantKey = RSAPrivateKey(
    randomBytes: Array("a merchant key made for tests: a day's shop".utf8))

  let engine: PaymentEngine
  let app: AppPolicy
  let database: InMemoryDatabase
  let weChatPay: SimulatedWeChatPay
  let dependencies: Dependencies
  let alarms = EngineAlarms()

  init(in process: SimulatedProcess, _ world: SimulatedWorld) throws {
    let dependencies = process.dependencies()
    let way = NotificationRoute(from: .weChatPay)
    let weChatPay = try world.perform(in: process) {
      try await SimulatedWeChatPay.open(
        log: Self.forgetful, dependencies: dependencies, exchange: way.exchange)
    }
    let (identifier, key) = try world.perform(in: process) { await weChatPay.platformPublicKey() }
    guard let certificate = SimulatedMerchant.Certificate(serial: Self.serial, key: Self.merchantKey.publicKey) else {
      throw SimulatedWorld.Stuck()
    }
    let registered = SimulatedMerchant(
      mchid: Self.mchid, certificates: [certificate], testAPIv3Key: Self.apiV3Key,
      appids: ["wx0000000000000001", "wx0000000000000002"])
    try world.perform(in: process) { try await weChatPay.control.setMerchant(registered) }
    var ring = PlatformKeyRing(merchantKey: Self.merchantKey.publicKey)
    try ring.add(publicKey: key, identifier: identifier)
    var settings = WeChatPayAccess(
      merchant: try MerchantCredentials(
        mchid: Self.mchid, certificateSerial: Self.serial, privateKey: Self.merchantKey,
        apiV3Key: try APIv3Key(Secret(Self.apiV3Key.utf8))),
      platformKeys: ring,
      appids: [
        .app: "wx0000000000000001", .jsapi: "wx0000000000000002", .h5: "wx0000000000000001",
        .native: "wx0000000000000001",
      ], notifyOrigin: "https://pay.example.com")
    settings.hosts = [WeChatPayHost("http://wechat.one"), WeChatPayHost("http://wechat.two")].compactMap(\.self)
    settings.downloadsCertificates = true
    var app = AppSettings(id: "shop", home: .simulated, identity: nil, catalog: try Catalog(Self.products))
    app.weChatPay = settings
    let authority = AppleShapedAuthority(
      name: "Day", randomBytes: Array(repeating: 7, count: 48), notBefore: world.now - .days(365),
      notAfter: world.now + .days(3650))
    database = InMemoryDatabase(
      InMemoryStorage.simulated(),
      now: dependencies.now)
    engine = PaymentEngine.simulated(
      [app], database: database,
      verifier: try SignedDataVerifier(SignedDataConfiguration(profile: .development, anchors: [authority.root])),
      dependencies: dependencies, outside: weChatPay.api.network, log: { [alarms] event in alarms.note(event) })
    way.open(to: engine)
    self.app = app.servedPolicy
    self.weChatPay = weChatPay
    self.dependencies = dependencies
  }

  /// This simulated WeChat Pay is never opened again, so it needs no log: a day's log would be the largest object in
  /// memory.
  private static let forgetful = SimulatorLog(append: { _ in }, readAll: { [] })

  static let products: [Product] = [
    Product(
      id: "coins.100", kind: .consumable, grant: .units("coin", perPiece: 100),
      weChatPrice: Money(minorUnits: 600, currency: .cny)),
    Product(
      id: "coins.7", kind: .consumable, grant: .units("coin", perPiece: 7),
      weChatPrice: Money(minorUnits: 101, currency: .cny)),
    Product(
      id: "premium", kind: .nonConsumable, grant: .entitlement("premium", period: nil),
      weChatPrice: Money(minorUnits: 9900, currency: .cny)),
  ]

  /// Plans each fault with the rate of a bad day, for the whole day.
  func planFaults() async throws {
    let calls: [WeChatPayFault] = [
      .unreachable, .loseRequest, .htmlError, .serviceUnavailable, .systemError, .frequencyLimited, .loseAnswer, .slow,
      .htmlAfterEffect, .systemErrorAfterEffect, .cutAnswer, .unsigned, .wrongSignature, .probe, .unknownKey,
      .staleTimestamp,
    ]
    for fault in calls { try await weChatPay.control.plan(PlannedFault(fault, count: nil, percent: 1)) }
    for fault in [WeChatPayFault.alteredAmount, .otherOrder] {
      try await weChatPay.control.plan(PlannedFault(fault, of: .query, count: nil, percent: 1))
      try await weChatPay.control.plan(PlannedFault(fault, of: .paymentNotification, count: nil, percent: 1))
    }
    try await weChatPay.control.plan(PlannedFault(.payBeforeAnswer, of: .prepay, count: nil, percent: 1))
    for fault in [WeChatPayFault.abnormalRefund, .closedRefund, .notEnough] {
      try await weChatPay.control.plan(PlannedFault(fault, of: .refund, count: nil, percent: 5))
    }
    for operation in [WeChatPayOperation.paymentNotification, .refundNotification] {
      for (fault, percent) in [
        (WeChatPayFault.loseNotification, Int64(10)), (.loseAttempt, 10), (.probe, 2), (.wrongSignature, 2),
        (.unsigned, 2), (.otherAPIv3Key, 1), (.otherMerchant, 1), (.unknownEventType, 1), (.cutAnswer, 1),
      ] {
        try await weChatPay.control.plan(PlannedFault(fault, of: operation, count: nil, percent: percent))
      }
    }
    try await weChatPay.setBehaviour(.queryLagSeconds, to: 3)
    try await weChatPay.setBehaviour(.notificationJitterMilliseconds, to: 20_000)
    try await weChatPay.setBehaviour(.duplicateNotifications, to: 1)
    try await weChatPay.setBehaviour(.otherSpellings, to: 1)
    try await weChatPay.setBehaviour(.variedForm, to: 1)
    try await weChatPay.setBehaviour(.refundsWithoutPause, to: 1)
  }
}
