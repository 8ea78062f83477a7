import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import SimulatorCore
import TestDoubles
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// WeChat Pay changes the keys that it signs with, while the shop sells.
@Suite struct `A change of WeChat Pay's own keys, while purchases go on` {
  private static func fixture(_ keys: TestMerchant.PlatformKeys) throws -> WeChatPayEngineFixture {
    let fixture = try WeChatPayEngineFixture(platformKey: keys)
    fixture.startBackgroundTasks()
    fixture.startNotifications()
    return fixture
  }

  /// Each user orders and pays, then the time passes.
  private static func sell(
    _ fixture: WeChatPayEngineFixture, to users: Range<Int>, each span: TimeSpan
  ) throws {
    for number in users {
      try fixture.perform { fixture async throws in
        let user = UserIdentifier("user-\(number)")
        let details = try await fixture.order(of: user)
        #expect(details.handOff != nil, "user \(number)")
        try await fixture.visit(details, openid: "o-\(number)")
      }
      fixture.world.run(for: span)
    }
  }

  /// Whether everybody who paid has what was paid for, once; and how many of WeChat Pay's notifications were taken.
  private static func expectGranted(_ fixture: WeChatPayEngineFixture, _ users: Range<Int>) throws {
    try fixture.perform { fixture async throws in
      for number in users { #expect(try await fixture.coins(of: UserIdentifier("user-\(number)")) == 100, "\(number)") }
      #expect(try await fixture.violations() == [])
    }
  }

  /// The shop's configuration is changed and read again.
  private static func enter(_ keys: TestMerchant.PlatformKeys, in fixture: WeChatPayEngineFixture) throws {
    try fixture.perform { fixture async throws in
      let access = try await TestMerchant().access(to: fixture.weChatPay, knowing: keys)
      #expect(await fixture.engine.replaceStoreAccess(by: [try WeChatPayEngineFixture.settings(access)]) == [])
    }
  }

  private static func accepted(_ fixture: WeChatPayEngineFixture) throws -> Int {
    try fixture.perform { await $0.weChatPay.notifications().count { $0.state == .accepted } }
  }

  @Test func `grants nothing that an unknown key signed, and everything once the key is known`() throws {
    // A merchant with certificates whom WeChat Pay has moved to the public key, without a change here.
    let fixture = try Self.fixture(.certificates)
    try Self.sell(fixture, to: 0..<1, each: .minutes(5))
    let key = PlatformKeyPolicy.Signing(.publicKey)
    try fixture.perform {
      try await $0.weChatPay.control.setKeyPolicy(mode: .publicKey, notifications: key, answers: key)
    }
    let paid = try fixture.perform { fixture async throws -> OrderDetails in
      let details = try await fixture.order(of: "user-1")
      // The order is open at WeChat Pay. The answer does not verify, so the app gets no parameters.
      #expect(details.handOff == nil)
      return details
    }
    fixture.world.run(for: .hours(1))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins(of: "user-1") == 0)
      let known = try await TestMerchant().access(to: fixture.weChatPay, knowing: .publicKey)
      let settings = try WeChatPayEngineFixture.settings(known)
      #expect(await fixture.engine.replaceStoreAccess(by: [settings]) == [])
      let again = try await fixture.engine.prepareWeChatPay(
        .id(paid.order.key.id), in: EngineFixture.appEnvironment, of: "user-1", for: fixture.app)
      try await fixture.visit(again, openid: "o-1")
    }
    fixture.world.run(for: .hours(1))
    try Self.expectGranted(fixture, 0..<2)
  }

  @Test(arguments: [TestMerchant.PlatformKeys.certificates, .both])
  func `to a new certificate refuses no genuine payment`(keys: TestMerchant.PlatformKeys) throws {
    let fixture = try Self.fixture(keys)
    try Self.sell(fixture, to: 0..<2, each: .hours(2))
    let name = try fixture.perform { try await $0.weChatPay.control.issueCertificate() }
    // Published, and signing nothing yet.
    try Self.sell(fixture, to: 2..<3, each: .minutes(1))
    try fixture.perform {
      let signing = PlatformKeyPolicy.Signing(name)
      try await $0.weChatPay.control.setKeyPolicy(notifications: signing, answers: signing)
    }
    try Self.sell(fixture, to: 3..<6, each: .minutes(30))
    try Self.expectGranted(fixture, 0..<6)
    #expect(try Self.accepted(fixture) == 6)
  }

  @Test func `to a new public key refuses no genuine payment, if it is known before it signs`() throws {
    let fixture = try Self.fixture(.publicKey)
    try Self.sell(fixture, to: 0..<2, each: .hours(2))
    // The merchant platform shows a second key, and the shop enters both. Nothing signs with it yet.
    try fixture.perform { _ = try await $0.weChatPay.control.issuePublicKey() }
    try Self.enter(.bothPublicKeys, in: fixture)
    try Self.sell(fixture, to: 2..<4, each: .hours(2))
    try fixture.perform { fixture async throws in
      var signing = PlatformKeyPolicy.Signing(.publicKey)
      (signing.to, signing.since) = (.secondPublicKey, fixture.now())
      try await fixture.weChatPay.control.setKeyPolicy(notifications: signing, answers: signing)
    }
    try Self.sell(fixture, to: 4..<20, each: .hours(12))
    let second = PlatformKeyPolicy.Signing(.secondPublicKey)
    try fixture.perform { try await $0.weChatPay.control.setKeyPolicy(notifications: second, answers: second) }
    try Self.enter(.secondPublicKey, in: fixture)
    try Self.sell(fixture, to: 20..<22, each: .hours(2))
    try Self.expectGranted(fixture, 0..<22)
    #expect(try Self.accepted(fixture) == 22)
  }

  @Test func `to a public key that nobody has entered grants nothing, and loses nothing`() throws {
    let fixture = try Self.fixture(.publicKey)
    try fixture.perform { fixture async throws in
      _ = try await fixture.weChatPay.control.issuePublicKey()
      let second = PlatformKeyPolicy.Signing(.secondPublicKey)
      try await fixture.weChatPay.control.setKeyPolicy(mode: .publicKey, notifications: second, answers: second)
    }
    // The shop names the first key in its requests, so their answers verify; notifications do not.
    try Self.sell(fixture, to: 0..<2, each: .seconds(20))
    #expect(try Self.accepted(fixture) == 0)
    fixture.world.run(for: .hours(1))
    try Self.enter(.bothPublicKeys, in: fixture)
    fixture.world.run(for: .days(2))
    try Self.expectGranted(fixture, 0..<2)
  }

  @Test func `over the end of a certificate refuses no genuine payment, and what the ended one signs no more`() throws {
    let fixture = try WeChatPayEngineFixture(platformKey: .certificates)
    // The first certificate is valid for five years. Nothing runs until its last day.
    fixture.world.run(for: .days(5 * 365 - 1))
    fixture.startBackgroundTasks()
    fixture.startNotifications()
    try Self.sell(fixture, to: 0..<1, each: .hours(1))
    let name = try fixture.perform { try await $0.weChatPay.control.issueCertificate() }
    fixture.world.run(for: .hours(1))
    let next = PlatformKeyPolicy.Signing(name)
    try fixture.perform { try await $0.weChatPay.control.setKeyPolicy(notifications: next, answers: next) }
    try Self.sell(fixture, to: 1..<4, each: .hours(12))
    try Self.expectGranted(fixture, 0..<4)
    // The first certificate has ended. What it signs is refused, and WeChat Pay's next certificate makes up for it.
    let ended = PlatformKeyPolicy.Signing(.certificate(1))
    try fixture.perform { try await $0.weChatPay.control.setKeyPolicy(notifications: ended) }
    let before = try Self.accepted(fixture)
    try Self.sell(fixture, to: 4..<5, each: .seconds(10))
    let states = try fixture.perform { await $0.weChatPay.notifications().map { "\($0.state)" } }
    #expect(try Self.accepted(fixture) == before, "\(states)")
    fixture.world.run(for: .hours(2))
    try Self.expectGranted(fixture, 0..<5)
  }

  @Test func `from certificates to the public key, day by day, refuses no genuine payment`() throws {
    let fixture = try Self.fixture(.both)
    try Self.sell(fixture, to: 0..<2, each: .hours(2))
    try fixture.perform { fixture async throws in
      var signing = PlatformKeyPolicy.Signing(.certificate(1))
      (signing.to, signing.since) = (.publicKey, fixture.now())
      try await fixture.weChatPay.control.setKeyPolicy(mode: .mixed, notifications: signing, answers: signing)
    }
    try Self.sell(fixture, to: 2..<18, each: .hours(12))
    try fixture.perform {
      try await $0.weChatPay.control.setKeyPolicy(
        mode: .certificatesExpired, notifications: .init(.publicKey), answers: .init(.publicKey))
    }
    try Self.sell(fixture, to: 18..<20, each: .hours(13))
    try Self.expectGranted(fixture, 0..<20)
    #expect(try Self.accepted(fixture) == 20)
  }
}
