import AppStoreIntegration
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import Testing

/// A list of erasures that may refuse to be written, so that an erasure stays under way.
private actor FullList: ErasureList {
  struct Full: Error {}

  private var isFull = true

  func empty() { isFull = false }

  func read() -> [ListedErasure] { [] }

  func append(_ erasures: [ListedErasure]) throws { if isFull { throw Full() } }
}

@Suite struct `The audit log of a user who is erased` {
  private static let user: UserIdentifier = "alice-9f3"

  private static func press(
    _ shop: EngineFixture, key: String, on user: UserIdentifier = user,
    _ body: @Sendable () async throws -> Void = {}
  ) async throws {
    var action = ActionDescription("personalData.seen", by: .account, "lin", key: key)
    (action.app, action.objectKind, action.object) = ("shop", "user", user.text)
    action.reason = "\(user) asked, and bob-9f4 too"
    _ = try await shop.engine.perform(action, body)
  }

  private static func bought(_ setup: EngineFixture.Setup = EngineFixture.Setup()) async throws -> EngineFixture {
    let app = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(EngineFixture.products))
    let shop = try EngineFixture(
      serving: [AppSettings(app, appStore: AppStoreAccess(identity: EngineFixture.identity))], setup)
    _ = try await shop.buyCoins("1001", of: user)
    for delivery in try await shop.engine.read({ try $0.deliveries(of: EngineFixture.key("1001")) }) {
      _ = try await shop.engine.acknowledge(delivery.id, in: "shop")
    }
    return shop
  }

  private static func log(_ shop: EngineFixture) async throws -> [AuditLogEntry] {
    try await shop.engine.auditLog(before: nil, limit: 100).reversed()
  }

  /// Two entries about the user, one about somebody else, and what the erasure of the user entered.
  private static func redacted() async throws -> (log: [AuditLogEntry], alias: UserIdentifier) {
    let shop = try await bought()
    for key in ["a", "b"] { try await press(shop, key: key) }
    try await press(shop, key: "c", on: "carol-9f5")
    let alias = try await shop.engine.eraseUser(user, of: shop.app).erasure.alias
    return (try await log(shop), alias)
  }

  @Test func `is broken by an entry that was changed without a statement, after it, or elsewhere`() async throws {
    let (log, alias) = try await Self.redacted()
    func finding(_ index: Int, _ entry: AuditLogEntry?) throws -> AuditLogVerification.Finding? {
      var other = log
      other[index] = try #require(entry)
      return AuditLogVerification(of: other).broken?.finding
    }
    // Nobody stated how this one was left.
    #expect(try finding(2, log[2].erased(["carol-9f5"], behind: "erased_1")) == .changed)
    // It was left otherwise.
    #expect(try finding(0, log[0].erased([alias], behind: "erased_1")) == .changed)
    #expect(try finding(0, log[0].erased(["bob-9f4"], behind: alias)) == .changed)
    // All else of it is under the chain's hash.
    #expect(try finding(0, Self.copy(log[0], outcome: .refused)) == .changed)
    #expect(try finding(0, Self.copy(log[0], actor: "kim")) == .changed)
    // The statement itself.
    var statement = log[3]
    statement.redactedBy = "erased_1"
    #expect(try finding(3, statement) == .changed)
    #expect(try finding(3, Self.copy(log[3], reason: "{}")) == .changed)
  }

  @Test func `names the alias, verifies, and says which erasure changed which entry`() async throws {
    let (log, alias) = try await Self.redacted()
    let result = AuditLogVerification(of: log)
    #expect(result.broken == nil && result.count == 4)
    #expect(result.redactions.map(\.number) == [1, 2] && result.redactions.map(\.alias) == [alias, alias])
    #expect(log.prefix(2).map(\.object) == [alias.text, alias.text])
    #expect(log[0].reason == "\(alias) asked, and bob-9f4 too")
    #expect(log[2].object == "carol-9f5" && log[2].redactedBy == nil)
    #expect(log[3].action == "auditLog.redact" && log[3].object == alias.text)
    #expect(!log.contains { "\($0)".contains("alice-9f3") })
  }

  @Test func `does not let a name be tried against what is left`() async throws {
    let log = try await Self.redacted().log
    for entry in log.prefix(2) { #expect(entry.seal != nil && entry.seal?.salt == nil) }
    #expect(log[2].seal?.salt?.count == 32 && log[2].seal?.salt != log[3].seal?.salt)
  }

  @Test func `is redacted to its end, also of what is entered while the erasure is under way`() async throws {
    let list = FullList()
    var setup = EngineFixture.Setup()
    setup.erasureList = list
    let shop = try await Self.bought(setup)
    let code = await shop.code { _ = try await shop.engine.eraseUser(Self.user, of: shop.app) }
    #expect(code == .erasureListUnavailable)
    for number in 0..<3 { try await Self.press(shop, key: "\(number)") }
    await list.empty()
    try await shop.engine.resumeErasures()
    let log = try await Self.log(shop)
    #expect(!log.contains { "\($0)".contains("alice-9f3") })
    #expect(AuditLogVerification(of: log).redactions.count == 3 && AuditLogVerification(of: log).broken == nil)
  }

  // MARK: entries of earlier versions

  /// An entry as versions before wrote it: its hash covers the object and the reason themselves.
  private static let earlier = AuditLogEntry(
    number: 1, at: EngineFixture.noon, app: "shop", environment: .simulated, actorKind: .account, actor: "lin",
    role: .finance, address: nil, action: "balance.credit", objectKind: "user", object: "alice-9f3",
    reason: "alice-9f3 waited", requestId: nil, outcome: .done, problem: nil, actionKey: "press 1",
    previous: AuditLogEntry.firstPrevious, hash: [])

  @Test func `has the hashes that earlier versions computed`() {
    #expect(
      AuditLogChain.hash(of: Self.earlier).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
        == "09d497e378c48d4ecc53bef71dd8ac5dfd5d10d640c6f3167f5f620a9b67e45a")
  }

  @Test func `of an earlier version verifies before and after its redaction`() async throws {
    let shop = try await Self.bought()
    let entry = Self.copy(Self.earlier, hash: AuditLogChain.hash(of: Self.earlier))
    try await shop.engine.transact { try $0.insert(entry) }
    try await Self.press(shop, key: "b")
    #expect(try await AuditLogVerification(of: Self.log(shop)).broken == nil)
    let alias = try await shop.engine.eraseUser(Self.user, of: shop.app).erasure.alias
    let log = try await Self.log(shop)
    #expect(AuditLogVerification(of: log).broken == nil)
    #expect(log[0].object == alias.text && log[0].seal == nil && log[0].hash == entry.hash)
    var other = log
    other[0] = Self.copy(log[0], outcome: .refused)
    #expect(AuditLogVerification(of: other).broken?.finding == .changed)
  }

  private static func copy(
    _ entry: AuditLogEntry, outcome: AuditLogEntry.Outcome? = nil, actor: String? = nil, reason: String? = nil,
    hash: [UInt8]? = nil
  ) -> AuditLogEntry {
    var copy = AuditLogEntry(
      number: entry.number, at: entry.at, app: entry.app, environment: entry.environment,
      actorKind: entry.actorKind, actor: actor ?? entry.actor, role: entry.role, address: entry.address,
      action: entry.action, objectKind: entry.objectKind, object: entry.object, reason: reason ?? entry.reason,
      requestId: entry.requestId, outcome: outcome ?? entry.outcome, problem: entry.problem,
      actionKey: entry.actionKey, previous: entry.previous, hash: hash ?? entry.hash)
    (copy.seal, copy.redactedBy) = (entry.seal, entry.redactedBy)
    return copy
  }
}
