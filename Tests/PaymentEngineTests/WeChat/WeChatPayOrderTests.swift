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
import WeChatPaySimulator

@Suite struct `An order at WeChat Pay` {
  @Test func `is refused for virtual goods on iOS (1A.1), and accepted for physical ones`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      for platform in ["ios", "iOS", "ipados"] {
        await #expect(throws: CodedError<EngineErrorCode>(.virtualGoodsNeedInAppPurchase)) {
          try await fixture.order { $0.platform = platform }
        }
      }
      #expect(try await fixture.order("mug") { $0.platform = "ios" }.handOff != nil)
    }
  }

  @Test func `is accepted for virtual goods on iOS if the app allows it`() throws {
    let fixture = try WeChatPayEngineFixture { $0.sellsVirtualGoodsOnIOS = true }
    try fixture.perform { fixture async throws in
      #expect(try await fixture.order { $0.platform = "ios" }.handOff != nil)
    }
  }

  @Test func `is refused without a price there, without a platform, and without its cashier's parameters`() throws {
    let fixture = try WeChatPayEngineFixture { $0.appids[.native] = nil }
    try fixture.perform { fixture async throws in
      await #expect(throws: CodedError<EngineErrorCode>(.productNotSoldAtStore)) {
        try await fixture.order("apple.only")
      }
      for change in [
        { $0.platform = nil }, { $0.tradeType = "JSAPI" }, { $0.tradeType = "H5" }, { $0.tradeType = "NATIVE" },
        { $0.tradeType = "MICROPAY" },
      ] as [@Sendable (inout OrderRequest) -> Void] {
        let code = await #expect(throws: CodedError<EngineErrorCode>.self) { try await fixture.order(change: change) }?
          .code
        #expect(code == .weChatPayOrderInvalid)
      }
      #expect(await fixture.weChatPay.orders().isEmpty)
    }
  }

  @Test func `is stored before WeChat Pay is called, and paid once with an app's parameters (1B.1, 1B.2)`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order(quantity: 3)
      let row = try #require(try await fixture.row(details))
      #expect(row.state == .prepared)
      #expect(row.amount == Money(minorUnits: 1800, currency: .cny))
      let names = details.handOff?.object?.map(\.name).sorted()
      #expect(
        names == [
          "appId", "extData", "nonceStr", "packageValue", "partnerId", "prepayId", "sign", "signType", "timeStamp",
        ])
      #expect(details.handOff?["extData"]?.string == details.order.key.id.description)
      #expect(try await fixture.visit(details).errCode == 0)
      // The shop has no notification yet.
      #expect(try await fixture.coins() == 0)
      let checked = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(checked.order.state.payment != nil)
      #expect(try await fixture.coins() == 300)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test(arguments: ["APP", "JSAPI", "H5", "NATIVE"])
  func `is paid in each cashier`(tradeType: String) throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order {
        $0.tradeType = tradeType
        $0.openid = "o-alice"
        $0.payerAddress = "203.0.113.9"
      }
      #expect(try await fixture.visit(details).reason == nil)
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(try await fixture.coins() == 100)
    }
  }

  @Test func `is handed off again with the same number, also if the first answer was lost`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.loseAnswer, of: .prepay, count: 2))
      let details = try await fixture.order()
      #expect(details.handOff == nil)
      #expect(try await fixture.row(details)?.state == .unknown)
      let again = try await fixture.engine.prepareWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(again.handOff != nil)
      #expect(await fixture.weChatPay.orders().count == 1)
      try await fixture.visit(again)
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(try await fixture.coins() == 100)
    }
  }

  @Test func `is opened at the next host if the first does not answer`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .prepay, host: "wechat.one", count: nil))
      #expect(try await fixture.order().handOff != nil)
    }
  }

  @Test func `is closed with the reason if WeChat Pay refuses to open it`() throws {
    let fixture = try WeChatPayEngineFixture { $0.appids[.app] = "wx0000000000000009" }
    try fixture.perform { fixture async throws in
      let code = await #expect(throws: CodedError<EngineErrorCode>.self) { try await fixture.order() }?.code
      #expect(code == .weChatPayPrepayRefused)
      let order = try await fixture.database.read { try $0.orders(after: nil, limit: 2) }.first
      guard case .closed(.prepayRefused, _) = order?.state else {
        Issue.record("\(String(describing: order?.state))")
        return
      }
    }
  }

  @Test func `gets newly signed parameters, and a new prepay id when the old one nearly expires`() throws {
    let fixture = try WeChatPayEngineFixture { $0.orderLifetime = .hours(5) }
    let details = try fixture.perform { try await $0.order() }
    let soon = try fixture.perform {
      try await $0.engine.prepareWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: $0.app)
    }
    #expect(soon.handOff != details.handOff)
    fixture.world.run(for: .minutes(111))
    let later = try fixture.perform {
      try await $0.engine.prepareWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: $0.app)
    }
    let first = try #require(details.handOff)
    #expect(first["prepayId"] == soon.handOff?["prepayId"])
    #expect(soon.handOff?["nonceStr"] != first["nonceStr"])
    #expect(later.handOff?["prepayId"] != first["prepayId"])
    try fixture.perform { fixture async throws in
      #expect(await fixture.weChatPay.orders().count == 1)
      #expect(try await fixture.visit(later).reason == nil)
    }
  }

  @Test func `is refused if the user has too many open, and the error names the newest`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      var last: OrderDetails?
      for _ in 0..<5 {
        last = try await fixture.order()
        // Of two in one millisecond, neither is the newer.
        try await fixture.process.dependencies().sleep(.milliseconds(1))
      }
      let error = await #expect(throws: CodedError<EngineErrorCode>.self) { try await fixture.order() }
      #expect(error?.code == .tooManyOpenOrders)
      let newest = try #require(last).order.key.id.description
      #expect(error?.details.contains(newest) == true)
      _ = try await fixture.order("premium")
    }
  }
}

extension WeChatPayEngineFixture {
  func order(change: @Sendable (inout OrderRequest) -> Void) async throws -> OrderDetails {
    try await order("coins.100", change)
  }
}
