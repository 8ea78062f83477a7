import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing
import WeChatPayIntegration
import WeChatPayProtocol

/// A payment whose order was made after the backup from which the database was restored.
@Suite struct `A payment whose order was lost` {
  /// Writes the gap that a restoration leaves.
  private static func open(_ shop: EngineFixture, from: Timestamp, asked: Bool = true) async throws {
    var gap = BackupGap(from: from, until: shop.now())
    if asked { gap.askedAt = shop.now() }
    let text = gap.text
    try await shop.engine.transact { try $0.set(DatabaseSetting.backupGap, to: text) }
  }

  /// The id of an order that the database does not have.
  private static func lost(_ moment: Timestamp, _ last: UInt8 = 1) -> OrderIdentifier {
    OrderIdentifier(version7At: moment, random: [UInt8](repeating: 7, count: 9) + [last])
  }

  private static func payment(_ shop: EngineFixture, _ id: String = "1001") async throws -> Payment? {
    try await shop.engine.read { try $0.payment(EngineFixture.key(id)) }
  }

  /// A shop whose database was restored after an hour of sales.
  private static func restored(_ change: (inout AppPolicy) -> Void = { _ in }) async throws -> EngineFixture {
    let shop = try EngineFixture(change)
    let from = shop.now()
    shop.clock.advance(by: .hours(1))
    try await open(shop, from: from)
    return shop
  }

  @Test func `goes to nobody who presents it, with whatever their phone sends`() async throws {
    let shop = try await Self.restored()
    let token = Self.lost(shop.now() - .minutes(30))
    let evidence = shop.transaction("1001", token: token)
    for user in ["alice", "bob"] as [UserIdentifier] {
      let answer = try await shop.submit(evidence, by: user, orders: [token], sameRun: token)
      #expect(answer.verdict == .held && answer.reason == "orderLost" && answer.finish)
      #expect(try await shop.coins(of: user) == 0)
    }
    #expect(try await Self.payment(shop)?.presenter == "alice")
    #expect(try await shop.engine.auditInvariants(atRest: true).violations == [])
  }

  @Test(arguments: [-61_000, 3_600_001] as [Int64])
  func `is any other payment if its token was made outside of the gap`(offset: Int64) async throws {
    let shop = try await Self.restored()
    let token = Self.lost(shop.now() - .hours(1) + .milliseconds(offset))
    shop.clock.advance(by: .minutes(1))
    let answer = try await shop.submit(shop.transaction("1001", token: token), by: "alice")
    #expect(answer.verdict == .fulfilled)
    #expect(try await shop.coins(of: "alice") == 100)
  }

  @Test func `is any other payment if its token is no id that we make, or if nothing was restored`() async throws {
    let shop = try await Self.restored()
    let lost = Self.lost(shop.now() - .minutes(30))
    let foreign = OrderIdentifier(high: lost.high & ~0xF000 | 0x4000, low: lost.low)
    #expect(try await shop.submit(shop.transaction("1001", token: foreign)).verdict == .fulfilled)
    let other = try EngineFixture()
    #expect(try await other.submit(other.transaction("1001", token: Self.lost(other.now()))).verdict == .fulfilled)
  }

  @Test func `whose order the backup has is granted to its user, although it was made in an earlier gap`() async throws
  {
    let shop = try EngineFixture()
    let order = try await shop.order(of: "alice")
    try await Self.open(shop, from: shop.now() - .hours(1))
    let answer = try await shop.submit(shop.transaction("1001", token: order), by: "bob")
    #expect(answer.verdict == .fulfilledForAnother)
    #expect(try await shop.coins(of: "alice") == 100)
  }

  @Test func `is given by an operator, under the delivery id that it would have had`() async throws {
    let shop = try await Self.restored()
    let token = Self.lost(shop.now() - .minutes(30))
    let evidence = shop.transaction("1001", token: token)
    _ = try await shop.submit(evidence, by: "bob")
    let resolution = try #require(try await Self.payment(shop)?.state.resolution)
    #expect(resolution.acts.contains(.claim))
    _ = try await shop.engine.claimUnclaimedPayment(
      EngineFixture.key("1001"), for: "alice", by: "oscar", reason: "the backend's record")
    #expect(try await shop.coins(of: "alice") == 100)
    #expect(try await shop.coins(of: "bob") == 0)
    let never = try EngineFixture()
    _ = try await never.submit(never.transaction("1001", token: try await never.order(of: "alice")), by: "alice")
    func ids(_ shop: EngineFixture) async throws -> [DeliveryIdentifier] {
      try await shop.engine.read { try $0.deliveries(of: EngineFixture.key("1001")).map(\.id) }
    }
    #expect(try await ids(shop) == ids(never))
    // Once granted it stays, whoever comes.
    #expect(try await shop.submit(evidence, by: "bob").verdict == .fulfilledForAnother)
    #expect(try await shop.engine.auditInvariants(atRest: true).violations == [])
  }

  @Test func `of a subscription tells whose the renewals with its token are, once an operator gave it`() async throws {
    let shop = try await Self.restored()
    let token = Self.lost(shop.now() - .minutes(30))
    func renewal(_ id: String, _ days: Int64) -> String {
      let (start, end) = (shop.now() + .days(days), shop.now() + .days(days + 30))
      return shop.transaction(id, of: "com.example.monthly", token: token, type: "Auto-Renewable Subscription") {
        $0["originalTransactionId"] = "2000"
        $0["purchaseDate"] = .integer(start.milliseconds)
        $0["expiresDate"] = .integer(end.milliseconds)
      }
    }
    #expect(try await shop.submit(renewal("2000", 0), by: "bob").reason == "orderLost")
    _ = try await shop.engine.claimUnclaimedPayment(
      EngineFixture.key("2000"), for: "alice", by: "oscar", reason: "the backend's record")
    #expect(try await shop.submit(renewal("2001", 30), by: "bob").verdict == .fulfilledForAnother)
    #expect(try await Self.payment(shop, "2001")?.owner == "alice")
    #expect(try await shop.engine.auditInvariants(atRest: true).violations == [])
  }

  @Test func `is one while the gap is still asked about, too`() async throws {
    let shop = try EngineFixture()
    try await Self.open(shop, from: shop.now(), asked: false)
    shop.clock.advance(by: .minutes(5))
    let token = Self.lost(shop.now() - .minutes(1))
    #expect(try await shop.submit(shop.transaction("1001", token: token)).reason == "orderLost")
  }

  @Test func `is imported while the app only observes: the earlier system delivers it`() async throws {
    let shop = try await Self.restored {
      $0.mode = .observe
    }
    let token = Self.lost(shop.now() - .minutes(30))
    #expect(try await shop.submit(shop.transaction("1001", token: token)).verdict == .imported)
  }

  @Test func `stays one after a second restoration`() async throws {
    let start = EngineFixture.noon
    let first = BackupGap(from: start, until: start + .hours(1))
    let second = BackupGap(from: start + .days(3), until: start + .days(4), after: first)
    let read = try #require(BackupGap(text: second.text))
    #expect(read == second && read.earlier == [start...start + .hours(1)])
    let now = start + .days(9)
    var asked = read
    asked.askedAt = start + .days(4)
    #expect(asked.covers(start + .minutes(30), at: now) && asked.covers(start + .days(3), at: now))
    #expect(!asked.covers(start + .days(2), at: now) && !asked.covers(start + .days(5), at: now))
    #expect(read.covers(start + .days(5), at: now), "open: it reaches to now")
    #expect(BackupGap(text: #"{"from":9,"until":1,"earlier":[[2,1],[1],"x",[1,2]]}"#)?.earlier.count == 1)
  }
}

@Suite struct `A charge whose order was lost` {
  @Test func `is held as lost, and claimed like one with an unknown order`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      var gap = BackupGap(from: fixture.now() - .hours(1), until: fixture.now())
      gap.askedAt = fixture.now()
      let text = gap.text
      try await fixture.engine.transact { try $0.set(DatabaseSetting.backupGap, to: text) }
      let made = [(fixture.now() - .minutes(30), HoldReason.orderLost), (fixture.now() - .days(1), .orderUnknown)]
      for (number, (moment, reason)) in made.enumerated() {
        let order = OrderIdentifier(version7At: moment, random: [UInt8](repeating: 7, count: 10))
        let key = PaymentKey(
          app: "shop", store: .weChatPay, environment: .simulated,
          transaction: TransactionIdentifier("420000000\(number)"))
        var charge = VerifiedCharge(
          key: key, orderNumber: order.outTradeNo, amount: Money(minorUnits: 600, currency: .cny),
          merchant: "1900000001", paidDate: fixture.now(), signedDate: fixture.now())
        charge.storeApp = "wx0000000000000001"
        let learned = try await fixture.engine.learn(charge, evidence: "{}", origin: .storeAnswer, for: fixture.app)
        #expect(learned?.payment.state == .held(reason))
        #expect(try await fixture.coins() == Int64(100 * number))
        let claimed = try await fixture.engine.claimUnclaimedPayment(
          key, for: "alice", as: .product("coins.100", quantity: 1), by: "oscar", reason: "the backend's record")
        #expect(claimed.payment.state == .fulfilled)
      }
      #expect(try await fixture.violations() == [])
    }
  }
}
