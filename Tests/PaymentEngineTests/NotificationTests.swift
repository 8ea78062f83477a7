import AppStoreIntegration
import AppStoreProtocol
import CounterfoilAPI
import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SigningAuthorities
import SimulationKit
import StrictJSON
import Synchronization
import Testing

@Suite struct `An App Store notification` {
  private let shop: EngineFixture

  init() throws { shop = try EngineFixture() }

  private func errorCode(_ body: [UInt8], for app: AppIdentifier? = nil) async -> EngineErrorCode? {
    do {
      _ = try await shop.engine.receiveAppStoreNotification(body, for: app)
      return nil
    } catch { return (error as? CodedError<EngineErrorCode>)?.code }
  }

  @Test func `X23: that is not a signed payload is refused permanently`() async {
    #expect(await errorCode(Array("not json".utf8)) == .notificationUnreadable)
    #expect(await errorCode(Array(#"{"signedPayLoad":"a.b.c"}"#.utf8)) == .notificationUnreadable)
    #expect(await errorCode(Array(#"{"signedPayload":"abc"}"#.utf8)) == .notificationUnreadable)
    #expect(
      await errorCode(Array(#"{"signedPayload":"a.b.c","signedPayload":"d.e.f"}"#.utf8)) == .notificationUnreadable)
  }

  @Test func `1B.18: of version 1 is refused with the remedy`() async {
    #expect(await errorCode(Array(#"{"notification_type":"DID_RENEW"}"#.utf8)) == .notificationUnreadable)
  }

  @Test func `under certificates that an earlier run verified is accepted after a restart, during a flood`() throws {
    let world = SimulatedWorld(seed: 12)
    let storage = InMemoryStorage.simulated()
    let (process, later) = (
      SimulatedProcess("server 1", number: 1, in: world), SimulatedProcess("server 2", number: 2, in: world)
    )
    let first = try EngineFixture(storage: storage, in: process)
    try world.perform(in: process) { () async throws in
      let body = first.notification("n1", about: first.transaction("1"))
      _ = try await first.engine.receiveAppStoreNotification(body, for: nil)
    }
    process.kill()
    let shop = try EngineFixture(storage: storage, in: later)
    later.spawn { await shop.engine.run() }
    world.run(for: .seconds(1))
    try world.perform(in: later) { () async throws in
      let genuine = shop.transaction("2")
      // Leaves under the genuine authority, each with other bytes in its signature.
      let parts = genuine.split(separator: ".")
      let certificates = shop.signing.certificates.map(\.der)
      var busy = 0
      for number in 1...250 as ClosedRange<UInt8> {
        var leaf = certificates[0]
        leaf[leaf.count - 1] ^= number
        let header = JSONValue.members([
          ("alg", "ES256"),
          ("x5c", .array(([leaf] + certificates.dropFirst()).map { .string(Base64.encode($0)) })),
        ])
        do {
          let forged = [Base64URL.encode(header.bytes), String(parts[1]), String(parts[2])].joined(separator: ".")
          let answer = try await shop.submit(forged, by: nil)
          #expect(answer.verdict == .refused)
        } catch let error as CodedError<EngineErrorCode> where error.code == .verificationBusy { busy += 1 }
      }
      #expect(busy > 0, "the budget is used up")
      let receipt = try await shop.engine.receiveAppStoreNotification(shop.notification("n2", about: genuine), for: nil)
      #expect(receipt.firstSeen)
    }
  }

  @Test func `for an app that is not configured yet is refused temporarily`() async {
    #expect(await errorCode(shop.notification("n1", "TEST", about: nil), for: "other") == .notificationNotOurs)
  }

  @Test func `X22: with a broken signature is never answered as received`() async throws {
    let json = try JSONReader.read(shop.notification("n1", about: shop.transaction("1001")))
    let signed = try #require(json["signedPayload"]?.string)
    let broken = String(signed.dropLast(2)) + (signed.hasSuffix("AA") ? "BB" : "AA")
    let body = JSONValue.members([("signedPayload", .string(broken))]).bytes
    #expect(await errorCode(body) == .notificationUnreadable)
    #expect(try await shop.engine.auditInvariants(atRest: true).payments == 0)
  }

  @Test func `1B.19: is verified again inside: a forged transaction in a genuine envelope is refused`() async throws {
    let genuine = shop.transaction("1001")
    let other = shop.transaction("1002")
    let parts = genuine.split(separator: "."), rest = other.split(separator: ".")
    let forged = [parts[0], rest[1], parts[2]].joined(separator: ".")
    #expect(await errorCode(shop.notification("n1", about: forged)) == .notificationUnreadable)
    #expect(try await shop.coins() == 0)
  }

  @Test func `around a transaction of another app of this server is refused`() async throws {
    let other = AppSettings(
      id: "other", home: .simulated, identity: AppIdentity(bundleId: "com.example.other", appAppleId: 99),
      catalog: try Catalog(EngineFixture.products))
    let shop = try EngineFixture(beside: [other])
    let order = try await shop.order()
    let foreign = shop.transaction("1001", token: order) { $0["bundleId"] = "com.example.other" }
    for named in [nil, "shop", "other"] as [AppIdentifier?] {
      let body = shop.notification("n1", about: foreign)
      await #expect(throws: CodedError<EngineErrorCode>.self) {
        _ = try await shop.engine.receiveAppStoreNotification(body, for: named)
      }
    }
    #expect(try await shop.engine.auditInvariants(atRest: true).payments == 0)
    #expect(try await shop.coins() == 0)
  }

  @Test func `around a transaction of another environment is refused`() async throws {
    let order = try await shop.order()
    let sandbox = shop.transaction("1001", token: order) { $0["environment"] = "Sandbox" }
    #expect(await errorCode(shop.notification("n1", about: sandbox)) == .notificationUnreadable)
    #expect(await errorCode(shop.notification("n2", about: shop.transaction("1002"), in: "Sandbox")) != nil)
    #expect(try await shop.engine.auditInvariants(atRest: true).payments == 0)
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n3", about: sandbox, in: "Sandbox"), for: nil)
    #expect(try await shop.coins() == 100)
  }

  @Test func `of a purchase without any client grants it, once even if it is repeated (1B.17)`() async throws {
    let order = try await shop.order()
    let body = shop.notification("n1", about: shop.transaction("1001", token: order))
    let first = try await shop.engine.receiveAppStoreNotification(body, for: "shop")
    let again = try await shop.engine.receiveAppStoreNotification(body, for: nil)
    #expect(first.firstSeen && !again.firstSeen)
    #expect(first.effect == "applied" && first.transaction == "1001")
    #expect(try await shop.coins() == 100)
  }

  @Test func `of a purchase without a known owner waits unclaimed, and its buyer claims it later`() async throws {
    let evidence = shop.transaction("1001")
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", about: evidence), for: nil)
    #expect(try await shop.coins() == 0)
    let answer = try await shop.submit(evidence)
    #expect(answer.verdict == .fulfilled && !answer.firstSeen)
    #expect(try await shop.coins() == 100)
  }

  @Test func `TEST takes effect; types without an effect are verified, stored and counted`() async throws {
    let test = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", "TEST", about: nil), for: nil)
    #expect(test.effect == "applied")
    let update = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n2", "METADATA_UPDATE", about: shop.transaction("1001")), for: nil)
    #expect(update.effect == "kept" && !update.firstSeen)
    let unknown = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n3", "SOMETHING_NEW", about: nil), for: nil)
    #expect(unknown.effect == "kept")
    #expect(
      shop.engine.metrics.value(
        .notificationsTotal,
        [("app", "shop"), ("type", "METADATA_UPDATE"), ("effect", "kept"), ("environment", "simulated")]) == 1)
    #expect(try await shop.engine.auditInvariants(atRest: true).payments == 0)
  }

  @Test func `that cannot be fulfilled is still stored, alone`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", token: order))
    // A manual change in the database moves the grant: the next update breaks a rule, and writes nothing.
    let key = PaymentKey(app: "shop", store: .appStore, environment: .simulated, transaction: "1001")
    let database = InMemoryDatabase(shop.storage, now: { EngineFixture.noon })
    try await database.transact { transaction in
      var grant = try #require(try transaction.grant(key))
      grant.user = "mallory"
      try transaction.update(grant)
    }.get()
    shop.clock.advance(by: .hours(1))
    let now = shop.clock.now.milliseconds
    let evidence = shop.transaction("1001", token: order) {
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["revocationDate"] = .integer(now)
    }
    let receipt = try await shop.engine.receiveAppStoreNotification(shop.notification("n1", about: evidence), for: nil)
    #expect(receipt.effect == "applied")
    let (kept, row) = try await database.read {
      (
        try $0.notification("n1", in: EngineFixture.appEnvironment),
        try $0.order(OrderKey(appEnvironment: EngineFixture.appEnvironment, id: order))
      )
    }
    #expect(kept?.id == "n1" && row?.frozenBecause != nil)
  }

  @Test func `is stored and fulfilled by one commit`() async throws {
    let commits = Atomic<Int>(0)
    let shop = try EngineFixture(
      faults: DatabaseFaults(transaction: {
        commits.add(1, ordering: .relaxed)
        return .none
      }))
    let orders = [try await shop.order(), try await shop.order()]
    // The first one from a chain has its digest stored, too.
    let first = shop.notification("n0", about: shop.transaction("1000", token: orders[0]))
    _ = try await shop.engine.receiveAppStoreNotification(first, for: nil)
    let before = commits.load(ordering: .relaxed)
    let body = shop.notification("n1", about: shop.transaction("1001", token: orders[1]))
    _ = try await shop.engine.receiveAppStoreNotification(body, for: nil)
    #expect(commits.load(ordering: .relaxed) == before + 1)
  }

  @Test func `1B.21: keeps notificationUUID, type, signed date and payload as received`() async throws {
    let body = shop.notification("n1", "REFUND", about: shop.transaction("1001"))
    _ = try await shop.engine.receiveAppStoreNotification(body, for: nil)
    let kept = try await InMemoryDatabase(shop.storage, now: { EngineFixture.noon }).read {
      try $0.notification("n1", in: EngineFixture.appEnvironment)
    }
    let signed = try JSONReader.read(body)["signedPayload"]?.string
    #expect(kept?.signedPayload == signed && kept?.type == "REFUND")
    #expect(kept?.transaction == "1001" && kept?.signedDate == EngineFixture.noon)
  }
}
