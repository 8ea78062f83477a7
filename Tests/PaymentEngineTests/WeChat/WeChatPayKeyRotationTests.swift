import Cryptography
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SigningAuthorities
import SimulationKit
import TestDoubles
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// A merchant gets another key, or another APIv3 key, while the shop sells.
@Suite struct `A change of the merchant's keys` {
  private static let newKey = RSAPrivateKey(randomBytes: Array("a new merchant key made for tests: rotation".utf8))
  private static let newSerial = "5157F09EFDC096DE15EBE81A47057A7200000099"
  private static let newAPIv3Key = "a new APIv3 key made for tests 3"

  private static func new(_ access: WeChatPayAccess) throws -> MerchantCredentials {
    try MerchantCredentials(
      mchid: TestMerchant.mchid, certificateSerial: newSerial, privateKey: newKey, apiV3Key: access.merchant.apiV3Key)
  }

  /// The certificates that WeChat Pay has of the merchant.
  private static func setCertificates(
    _ all: [(serial: String, key: RSAPrivateKey)], _ fixture: WeChatPayEngineFixture
  ) async throws {
    var merchant = try #require(await fixture.weChatPay.merchants().first)
    merchant.certificates = all.compactMap {
      SimulatedMerchant.Certificate(serial: $0.serial, key: $0.key.publicKey)
    }
    try await fixture.weChatPay.control.setMerchant(merchant)
  }

  @Test func `loses orders without the former key, for as long as WeChat Pay refuses the new one`() throws {
    let fixture = try WeChatPayEngineFixture { access in
      if let merchant = try? Self.new(access) { access.merchant = merchant }
    }
    try fixture.perform { fixture async throws in
      let details = try? await fixture.order()
      #expect(details?.handOff == nil)
    }
  }

  @Test func `signs calls and the phone's payment with the former key while WeChat Pay refuses the new one`() throws {
    let fixture = try WeChatPayEngineFixture { access in
      let old = access.merchant
      if let merchant = try? Self.new(access) { (access.merchant, access.formerMerchants) = (merchant, [old]) }
    }
    fixture.startNotifications()
    try fixture.perform { fixture async throws in
      for user in ["alice", "bob"] as [UserIdentifier] {
        let details = try await fixture.order(of: user)
        #expect(try await fixture.visit(details).reason == nil)
        try await fixture.process.dependencies().sleep(.seconds(5))
        #expect(try await !fixture.state(of: details).isUnpaid)
      }
      let told = fixture.eventLog.fields(of: "weChatPay.formerKeyUsed")
      #expect(told.map { $0["accepted"] } == [TestMerchant.serial] && told.map { $0["refused"] } == [Self.newSerial])
    }
  }

  @Test(arguments: [0, 1] as [Int64])
  func `does not take an order for refused if the answer to the call with the former key is lost`(skip: Int64) throws {
    let fixture = try WeChatPayEngineFixture { access in
      let old = access.merchant
      if let merchant = try? Self.new(access) { (access.merchant, access.formerMerchants) = (merchant, [old]) }
    }
    try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.loseAnswer, of: .prepay, skip: skip, count: 1))
      let details = try await fixture.order()
      #expect(details.handOff != nil)
      #expect(await fixture.weChatPay.orders().count == 1)
    }
  }

  @Test func `is taken by a reload under load, and no call is lost`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      var rotated = fixture.access
      rotated.formerMerchants = [fixture.access.merchant]
      rotated.merchant = try Self.new(fixture.access)
      let settings = try WeChatPayEngineFixture.settings(rotated)
      // The order of the manual: the new key beside the old one there, then here, then the old one goes.
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for customer in 0..<40 {
          group.addTask {
            try await fixture.process.dependencies().sleep(.milliseconds(Int64(customer) * 50))
            return try await fixture.order(of: UserIdentifier("user-\(customer)")).handOff != nil
          }
        }
        group.addTask {
          let sleep = fixture.process.dependencies().sleep
          try await sleep(.milliseconds(500))
          #expect(await fixture.engine.replaceStoreAccess(by: [settings]) == [])
          try await sleep(.milliseconds(500))
          try await Self.setCertificates(
            [(TestMerchant.serial, TestMerchant.key), (Self.newSerial, Self.newKey)], fixture)
          try await sleep(.milliseconds(500))
          try await Self.setCertificates([(Self.newSerial, Self.newKey)], fixture)
          return true
        }
        for try await isDone in group { #expect(isDone) }
      }
      #expect(try await fixture.order(of: "later").handOff != nil)
    }
  }

  @Test func `of APIv3 keys still opens what was encrypted with the former one`() throws {
    let rotate: (inout WeChatPayAccess) -> Void = { access in
      let old = access.merchant
      guard let key = try? APIv3Key(Secret(Self.newAPIv3Key.utf8)),
        let merchant = try? MerchantCredentials(
          mchid: old.mchid, certificateSerial: TestMerchant.serial, privateKey: old.privateKey, apiV3Key: key)
      else { return }
      (access.merchant, access.formerAPIv3Keys) = (merchant, [old.apiV3Key])
    }
    // The certificates that verify the answer come encrypted.
    let downloading = try WeChatPayEngineFixture(platformKey: .certificates, rotate)
    #expect(try downloading.perform { try await $0.order().handOff != nil })
    // So does the notification.
    let fixture = try WeChatPayEngineFixture(rotate)
    fixture.startNotifications()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      #expect(try await fixture.visit(details).reason == nil)
      try await fixture.process.dependencies().sleep(.seconds(5))
      #expect(try await !fixture.state(of: details).isUnpaid)
    }
  }

  @Test func `to another merchant needs a restart: the whole access stays as it is`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      var other = fixture.access
      other.merchant = try MerchantCredentials(
        mchid: "1900000002", certificateSerial: Self.newSerial, privateKey: Self.newKey,
        apiV3Key: fixture.access.merchant.apiV3Key)
      let settings = try WeChatPayEngineFixture.settings(other)
      #expect(await fixture.engine.replaceStoreAccess(by: [settings]) == ["app[shop].wechat_pay"])
      #expect(try await fixture.order().handOff != nil)
      #expect(await fixture.engine.replaceStoreAccess(by: []).contains("app[shop].wechat_pay"))
      #expect(try await fixture.order(of: "bob").handOff != nil)
    }
  }
}
