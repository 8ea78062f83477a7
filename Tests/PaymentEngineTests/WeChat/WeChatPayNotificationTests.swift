import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A notification of WeChat Pay` {
  /// The notification of a paid order as it would be sent now.
  private static func paid(_ fixture: WeChatPayEngineFixture) async throws -> (
    details: OrderDetails, request: HTTPRequest
  ) {
    let details = try await fixture.order()
    try await fixture.visit(details)
    return (details, try await request(fixture))
  }

  private static func request(_ fixture: WeChatPayEngineFixture, _ fault: WeChatPayFault? = nil) async throws
    -> HTTPRequest
  {
    let notification = try #require(await fixture.weChatPay.notifications().last)
    if let fault { try await fixture.weChatPay.control.plan(PlannedFault(fault, of: .paymentNotification)) }
    return try await fixture.weChatPay.request(of: notification.id)
  }

  private static func status(
    _ fixture: WeChatPayEngineFixture, _ request: HTTPRequest, _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> Int {
    var request = request
    change(&request)
    let result = try await fixture.engine.receiveWeChatPayNotification(
      fields: request.fields, body: request.body, for: "shop")
    switch result {
    case .kept(_, let answer), .refused(let answer, _): return answer.status
    }
  }

  @Test func `without a signature, with another one, or for other bytes is refused and changes nothing (A12, A13)`()
    throws
  {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let (details, request) = try await Self.paid(fixture)
      for name in ["Wechatpay-Signature", "Wechatpay-Nonce", "Wechatpay-Serial", "Wechatpay-Timestamp"] {
        #expect(try await Self.status(fixture, request) { $0.fields.set(name, nil) } == 401, "\(name)")
      }
      #expect(try await Self.status(fixture, request) { $0.body.append(0x20) } == 401)
      #expect(try await Self.status(fixture, request) { $0.fields.set("Wechatpay-Nonce", "another") } == 401)
      #expect(
        try await Self.status(fixture, request) {
          $0.fields.set("Wechatpay-Signature", "WECHATPAY/SIGNTEST/" + ($0.fields["Wechatpay-Signature"] ?? ""))
        } == 401)
      // An unknown key may be a future one: WeChat Pay must send the notification again.
      #expect(
        try await Self.status(fixture, request) { $0.fields.set("Wechatpay-Serial", "PUB_KEY_ID_0000") } == 503)
      #expect(try await fixture.state(of: details) == .awaitingPayment)
      #expect(try await fixture.coins() == 0)
      #expect(try await Self.status(fixture, request) == 204)
      #expect(try await fixture.coins() == 100)
    }
  }

  @Test func `signed 301 seconds ago is refused, 300 seconds ago accepted`() throws {
    let fixture = try WeChatPayEngineFixture()
    let request = try fixture.perform { try await Self.paid($0).request }
    fixture.world.run(for: .seconds(300))
    try fixture.perform { fixture async throws in #expect(try await Self.status(fixture, request) == 204) }
    fixture.world.run(for: .seconds(1))
    try fixture.perform { fixture async throws in #expect(try await Self.status(fixture, request) == 401) }
  }

  @Test func `for an app that is not configured is refused temporarily, not permanently`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let (_, request) = try await Self.paid(fixture)
      await #expect(throws: CodedError<EngineErrorCode>.self) {
        _ = try await fixture.engine.receiveWeChatPayNotification(
          fields: request.fields, body: request.body, for: "nobody")
      }
    }
  }

  @Test func `repeated takes effect once`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let (details, request) = try await Self.paid(fixture)
      for _ in 0..<15 { #expect(try await Self.status(fixture, request) == 204) }
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.read(details).deliveries.count == 1)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `that was stored before a kill, without its effect, takes effect when it arrives again`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let (_, request) = try await Self.paid(fixture)
      let id = try #require(await fixture.weChatPay.notifications().last).id
      let kept = ReceivedNotification(
        appEnvironment: EngineFixture.appEnvironment, id: id, type: "TRANSACTION.SUCCESS", subtype: nil,
        signedDate: fixture.now(),
        transaction: nil, signedPayload: "{}", receivedAt: fixture.now(), effect: .applied)
      _ = await fixture.database.transact { try $0.insert(kept) }
      #expect(try await Self.status(fixture, request) == 204)
      #expect(try await fixture.coins() == 100)
    }
  }

  @Test func `that cannot be fulfilled is still stored, alone`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let (details, request) = try await Self.paid(fixture)
      // A manual change in the database: the payment's first update would grant more than a balance can hold.
      try await fixture.database.transact { transaction in
        try transaction.insert(
          Posting(
            appEnvironment: EngineFixture.appEnvironment, unit: "coin", debit: .issued(.weChatPay),
            credit: .user(details.order.user),
            amount: .max, payment: Self.earlier(in: transaction), cause: "grant", at: transaction.now))
      }.get()
      #expect(try await Self.status(fixture, request) == 204)
      let id = try #require(await fixture.weChatPay.notifications().last).id
      let (kept, order) = try await fixture.database.read {
        (try $0.notification(id, in: EngineFixture.appEnvironment), try $0.order(details.order.key))
      }
      #expect(kept?.id == id && order?.state == .awaitingPayment)
    }
  }

  /// A payment for postings to refer to.
  private static func earlier(in transaction: any DatabaseTransaction) throws -> PaymentKey {
    let key = PaymentKey(app: "shop", store: .weChatPay, environment: .simulated, transaction: "earlier")
    let facts = VerifiedPayment(
      key: key, originalTransaction: "earlier", storeProduct: "coins.100", kind: .consumable, quantity: 1,
      purchaseDate: transaction.now, signedDate: transaction.now)
    try transaction.insert(Payment(facts: facts, firstSeenAt: transaction.now))
    return key
  }

  @Test func `of a payment of another amount holds it with that reason`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startNotifications()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.alteredAmount, of: .paymentNotification, count: nil))
      let details = try await fixture.order()
      try await fixture.visit(details)
      return details
    }
    fixture.world.run(for: .seconds(5))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.state(of: details) == .awaitingPayment)
      #expect(try await fixture.read(details).order.lastVerdict?.reason == "amountDiffers")
      #expect(try await fixture.coins() == 0)
      let queue = try await fixture.engine.operatorQueue(in: EngineFixture.appEnvironment, limit: 10)
      #expect(queue.map(\.state) == [.held(.amountDiffers)])
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `whose body decrypts to another order grants at most that order, at its own price`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startNotifications()
    let (mine, other) = try fixture.perform { fixture async throws -> (OrderDetails, OrderDetails) in
      let other = try await fixture.order("premium", of: "bob")
      try await fixture.weChatPay.control.plan(PlannedFault(.otherOrder, of: .paymentNotification, count: nil))
      let mine = try await fixture.order()
      try await fixture.visit(mine)
      return (mine, other)
    }
    fixture.world.run(for: .seconds(5))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      #expect(try await fixture.state(of: other).payment == nil)
      #expect(try await fixture.engine.readEntitlements(of: "bob", in: EngineFixture.appEnvironment).isEmpty)
      _ = mine
    }
  }

  @Test func `of an unknown type is stored and acknowledged`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startNotifications()
    try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.unknownEventType, of: .paymentNotification))
      let details = try await fixture.order()
      try await fixture.visit(details)
    }
    fixture.world.run(for: .seconds(5))
    try fixture.perform { fixture async throws in
      let notification = try #require(await fixture.weChatPay.notifications().last)
      let kept = try await fixture.database.read {
        try $0.notification(notification.id, in: EngineFixture.appEnvironment)
      }
      #expect(kept?.effect == .kept)
      #expect(notification.attempts.last?.status == 204)
    }
  }

  @Test func `signed by an unknown certificate is accepted at once, after the certificate is fetched, under load`()
    throws
  {
    let fixture = try WeChatPayEngineFixture(platformKey: .certificates)
    fixture.startBackgroundTasks()
    fixture.startNotifications()
    let stories = try fixture.perform { fixture async throws -> [OrderDetails] in
      var stories: [OrderDetails] = []
      for number in 0..<10 {
        stories.append(try await fixture.order("coins.100", of: UserIdentifier("user\(number)")))
      }
      let next = try await fixture.weChatPay.control.issueCertificate()
      var moving = PlatformKeyPolicy.Signing(next)
      moving.permille = 1000
      try await fixture.weChatPay.control.setKeyPolicy(notifications: moving, answers: moving)
      for (number, details) in stories.enumerated() { try await fixture.visit(details, openid: "o-\(number)") }
      return stories
    }
    fixture.world.run(for: .seconds(10))
    try fixture.perform { fixture async throws in
      for details in stories { #expect(try await fixture.state(of: details).payment != nil) }
      // No callback failed: each was answered with 204 the first time.
      for notification in await fixture.weChatPay.notifications() {
        #expect(notification.attempts.map(\.status) == [204])
      }
    }
  }

  @Test func `signed by a certificate that no answer has used yet is accepted at once`() throws {
    let fixture = try WeChatPayEngineFixture(platformKey: .certificates)
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      let next = try await fixture.weChatPay.control.issueCertificate()
      var moving = PlatformKeyPolicy.Signing(next)
      moving.permille = 1000
      try await fixture.weChatPay.control.setKeyPolicy(notifications: moving)
      try await fixture.visit(details)
      #expect(try await Self.status(fixture, Self.request(fixture)) == 204)
      #expect(try await fixture.coins() == 100)
    }
  }

  @Test func `is decrypted with the former APIv3 key during a change of keys`() throws {
    let former = try APIv3Key(Secret(TestMerchant.apiV3Key.utf8))
    let fixture = try WeChatPayEngineFixture { settings in
      let newest = try? APIv3Key(Secret("a newer APIv3 key for tests 32 b".utf8))
      if let newest,
        let merchant = try? MerchantCredentials(
          mchid: settings.merchant.mchid, certificateSerial: settings.merchant.certificateSerial.text,
          privateKey: TestMerchant.key, apiV3Key: newest)
      {
        settings.merchant = merchant
        settings.formerAPIv3Keys = [former]
      }
    }
    try fixture.perform { fixture async throws in
      #expect(try await Self.status(fixture, Self.paid(fixture).request) == 204)
      #expect(try await fixture.coins() == 100)
    }
  }
}
