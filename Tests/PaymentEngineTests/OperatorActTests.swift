import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `A payment that is set aside` {
  private func held(_ shop: EngineFixture) async throws -> PaymentKey {
    // The payment has no known owner.
    _ = try await shop.submit(shop.transaction("1001"), by: nil)
    return EngineFixture.key("1001")
  }

  private func setAside(_ shop: EngineFixture, _ key: PaymentKey) async throws -> Payment {
    try await shop.engine.setAside(key, by: "oscar", reason: "looks like a trick")
  }

  @Test func `must exist and must not be granted`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.buyCoins("1001")
    #expect(await shop.code { _ = try await setAside(shop, EngineFixture.key("1001")) } == .actNotPossible)
    #expect(await shop.code { _ = try await setAside(shop, EngineFixture.key("9")) } == .paymentUnknown)
    #expect(
      await shop.code {
        _ = try await shop.engine.release(EngineFixture.key("1001"), by: "oscar", reason: "x")
      } == .actNotPossible)
    #expect(try await shop.coins() == 100)
  }

  @Test func `is granted to no user who presents it, and to no claim`() async throws {
    let shop = try EngineFixture()
    let key = try await held(shop)
    let payment = try await setAside(shop, key)
    #expect(payment.state.name == "setAside" && payment.state.reason == "setAside")
    // A repeat changes nothing: the first reason stays.
    #expect(try await shop.engine.setAside(key, by: "olga", reason: "mine").state == payment.state)
    shop.clock.advance(by: .minutes(5))
    let answer = try await shop.submit(shop.transaction("1001"), by: "bob")
    #expect(answer.verdict == .held && answer.reason == "setAside" && answer.finish)
    #expect(
      await shop.code {
        _ = try await shop.engine.claimUnclaimedPayment(key, for: "bob", by: "oscar", reason: "x")
      } == .paymentNotClaimable)
    _ = try await shop.engine.retryStoppedChanges()
    _ = try await shop.engine.retryPayment(key, by: "oscar", reason: nil)
    #expect(try await shop.coins(of: "bob") == 0)
    // It is in the queue with its reason, later presenters are shown, and every report counts it.
    #expect(try await shop.engine.operatorQueue(in: EngineFixture.appEnvironment, limit: 9).map(\.key) == [key])
    #expect(try await shop.stopped().map(\.presenters) == [["bob"]])
    let report = try await shop.engine.auditInvariants(atRest: true)
    #expect(report.paymentsByState["setAside"] == 1 && report.violations == [])
  }

  @Test func `is granted to its presenter once it is released`() async throws {
    let shop = try EngineFixture()
    let key = try await held(shop)
    _ = try await setAside(shop, key)
    _ = try await shop.submit(shop.transaction("1001"), by: "bob")
    let released = try await shop.engine.release(key, by: "oscar", reason: "he showed the invoice")
    #expect(released.state == .fulfilled && released.owner == "bob")
    #expect(try await shop.coins(of: "bob") == 100)
    #expect(try await shop.stopped() == [])
    #expect(try await shop.violations() == [])
  }

  @Test func `is held again if it is released without a presenter, and can be claimed`() async throws {
    let shop = try EngineFixture()
    let key = try await held(shop)
    _ = try await setAside(shop, key)
    for _ in 0..<2 {
      #expect(try await shop.engine.release(key, by: "oscar", reason: "x").state == .held(.released))
    }
    let result = try await shop.engine.claimUnclaimedPayment(key, for: "carol", by: "oscar", reason: "her invoice")
    #expect(result.payment.state == .fulfilled)
    #expect(try await shop.coins(of: "carol") == 100)
  }

  @Test func `keeps the reason for its hold`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.submit(shop.transaction("1001", of: "com.example.gone"))
    _ = try await setAside(shop, EngineFixture.key("1001"))
    let released = try await shop.engine.release(EngineFixture.key("1001"), by: "oscar", reason: "x")
    #expect(released.state == .held(.productUnknown))
  }

  @Test func `counts as taken back once the store has refunded it`() async throws {
    let shop = try EngineFixture()
    let key = try await held(shop)
    _ = try await setAside(shop, key)
    shop.clock.advance(by: .hours(1))
    let now = shop.now().milliseconds
    let refunded = shop.transaction("1001") { $0["revocationDate"] = .integer(now) }
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", "REFUND", about: refunded), for: nil)
    #expect(try await shop.known("1001")?.state == .revoked)
    #expect(try await shop.violations() == [])
  }
}

@Suite struct `A retry by an operator` {
  @Test func `grants a payment held for its product, once the configuration has the product`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", of: "com.example.later", token: order))
    #expect(
      try await shop.engine.retryPayment(EngineFixture.key("1001"), by: "o", reason: nil).state
        == .held(.productUnknown))
    let catalog = try Catalog(
      EngineFixture.products + [
        Product(
          id: "later", kind: .consumable, grant: .units("coin", perPiece: 7), appStoreProducts: ["com.example.later"])
      ])
    let grown = try EngineFixture({ $0.catalog = catalog }, storage: shop.storage)
    let payment = try await grown.engine.retryPayment(EngineFixture.key("1001"), by: "oscar", reason: "configured")
    #expect(payment.state == .fulfilled)
    #expect(try await grown.coins() == 7)
    #expect(try await grown.violations() == [])
  }

  @Test func `makes the server ask Apple, and decides nothing by itself, if only Apple's answer counts`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", of: "com.example.gone", token: order))
    try await shop.tamper { transaction in
      guard var payment = try transaction.payment(EngineFixture.key("1001")) else { return }
      payment.facts.storeProduct = "com.example.coins100"
      payment.state = .held(.unknownToApple)
      try transaction.update(payment)
    }
    let payment = try await shop.engine.retryPayment(EngineFixture.key("1001"), by: "oscar", reason: nil)
    #expect(payment.state == .held(.unknownToApple))
    #expect(try await shop.coins() == 0)
  }

  @Test func `is refused for an unknown payment`() async throws {
    let shop = try EngineFixture()
    #expect(
      await shop.code { _ = try await shop.engine.retryPayment(EngineFixture.key("9"), by: "o", reason: nil) }
        == .paymentUnknown)
  }
}

@Suite struct `The table of the operator's queue` {
  @Test func `has an act for every reason, state and kind, in two languages`() {
    let names = OperatorQueueTable.rows.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.count == HoldReason.allCases.count + StoppedChange.Kind.allCases.count + 18)
    for row in OperatorQueueTable.rows {
      #expect(
        !row.resolution.acts.isEmpty && !row.resolution.advice.english.isEmpty && !row.resolution.advice.chinese.isEmpty
      )
    }
    // A payment that rule 1 forbids can never be claimed.
    for reason in [HoldReason.amountDiffers, .currencyDiffers, .merchantDiffers, .storeAppDiffers] {
      #expect(!reason.resolution.acts.contains(.claim) && !reason.resolution.acts.contains(.retry))
    }
  }

  /// Each act that the table names for an App Store payment works, and no other claim is accepted.
  @Test(arguments: HoldReason.allCases)
  func `is correct about each reason`(reason: HoldReason) async throws {
    for act in OperatorAct.allCases where [.claim, .setAside, .retry].contains(act) {
      let shop = try EngineFixture()
      let isShared = reason == .familyShared
      _ = try await shop.engine.receiveAppStoreNotification(
        shop.notification("n1", about: shop.transaction("1001")), for: nil)
      try await shop.tamper { transaction in
        guard var payment = try transaction.payment(EngineFixture.key("1001")) else { return }
        if isShared { payment.facts.ownership = .familyShared }
        payment.state = .held(reason)
        try transaction.update(payment)
      }
      let isNamed = reason.resolution.acts.contains(act)
      switch act {
      case .claim:
        let code = await shop.code {
          _ = try await shop.engine.claimUnclaimedPayment(
            EngineFixture.key("1001"), for: "carol", by: "oscar", reason: "her invoice")
        }
        #expect(code == (isNamed ? nil : .paymentNotClaimable), "\(reason)")
        #expect(try await shop.coins(of: "carol") == (isNamed ? 100 : 0), "\(reason)")
      case .setAside:
        let payment = try await shop.engine.setAside(EngineFixture.key("1001"), by: "oscar", reason: "x")
        #expect(isNamed && payment.isSetAside, "\(reason)")
        let released = try await shop.engine.release(EngineFixture.key("1001"), by: "oscar", reason: "x")
        #expect(released.awaitsOwner, "\(reason)")
      case .retry:
        let payment = try await shop.engine.retryPayment(EngineFixture.key("1001"), by: "oscar", reason: nil)
        #expect(payment.awaitsOwner, "\(reason)")
        #expect(try await shop.coins() == 0)
      case .refund, .release, .decideRefund, .redrive, .configure, .reconcile, .repeatDebits, .writeOff, .atStore,
        .redriveForwards, .redirectRefund, .answerComplaint:
        break
      }
      #expect(try await shop.violations() == [], "\(reason) \(act)")
    }
  }
}
