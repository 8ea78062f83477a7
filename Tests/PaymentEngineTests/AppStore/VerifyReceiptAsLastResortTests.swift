import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import Cryptography
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `Apple's withdrawn verifyReceipt` {
  private static let path = "/verifyReceipt"

  // MARK: what it cannot do

  @Test func `is never called if the configuration does not name it`() throws {
    let fixture = try AppStoreEngineFixture(hasKey: false)
    try fixture.perform { fixture async throws in
      _ = try await fixture.buy()
      _ = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice))
      #expect(fixture.calls.all.isEmpty)
    }
  }

  @Test func `is not called while the App Store Server API answers`() throws {
    let fixture = try AppStoreEngineFixture(asksVerifyReceipt: true)
    try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      _ = try await fixture.buy(token: order)
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [
          .fulfilled
        ])
      #expect(fixture.calls.count(Self.path) == 0)
    }
  }

  private struct Lie: Sendable, CustomTestStringConvertible {
    let about: String
    let from: String
    let to: String
    var testDescription: String { about }
  }

  private static let lies = [
    Lie(about: "product", from: "\"product_id\":\"com.example.coins100\"", to: "\"product_id\":\"com.example.season\""),
    Lie(about: "quantity", from: "\"quantity\":\"1\"", to: "\"quantity\":\"2\""),
    Lie(about: "transaction", from: "\"transaction_id\":\"", to: "\"transaction_id\":\"9"),
    Lie(about: "original transaction", from: "\"original_transaction_id\":\"", to: "\"original_transaction_id\":\"9"),
    Lie(about: "time", from: "\"purchase_date_ms\":\"1", to: "\"purchase_date_ms\":\"2"),
    Lie(about: "app", from: "\"bundle_id\":\"com.example.shop\"", to: "\"bundle_id\":\"com.example.other\""),
    Lie(about: "list", from: "\"in_app\":[", to: "\"in_app\":[],\"was\":["),
    Lie(about: "shape", from: "\"receipt\":{", to: "\"receipts\":{"),
  ]

  @Test(arguments: lies)
  private func `counts only if app, product, quantity, transaction and time are the receipt's (1B.11)`(
    lie: Lie
  ) throws {
    let fixture = try AppStoreEngineFixture(
      hasKey: false, asksVerifyReceipt: true, answering: { $0.replacing(lie.from, with: lie.to) })
    let id = try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      let answers = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [order])
      #expect(answers.map(\.verdict) == [.pending] && answers.allSatisfy { !$0.finish })
      #expect(try await fixture.coins() == 0)
      return id
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(30))
    try fixture.perform { fixture async throws in
      // An answer of another shape does not count: after a day the receipt is granted, flagged. A contradiction stays.
      let isUnreadable = lie.about == "shape"
      let payment = try #require(try await fixture.payment(id))
      #expect(payment.state == (isUnreadable ? .fulfilled : .held(.unknownToApple)))
      #expect(try await fixture.coins() == (isUnreadable ? 100 : 0))
      if isUnreadable { #expect(payment.match?.flags.contains(.tokenUnseen) == true) }
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `does not pass a genuine receipt of another app, which Apple decodes as well (1B.10, A4)`() throws {
    let fixture = try AppStoreEngineFixture(hasKey: false, asksVerifyReceipt: true)
    try fixture.perform { fixture async throws in
      let other = "com.example.other"
      try await fixture.apple.catalog.setApp(SimulatedApp(bundleId: other, appAppleId: 99, notificationURL: nil))
      try await fixture.apple.catalog.setProduct(
        SimulatedProduct(
          id: "com.example.coins100", kind: .consumable, price: StatedPrice(milliunits: 1, currency: "CNY")),
        bundleId: other)
      let owner = AppOwner(account: AppStoreEngineFixture.alice.account, bundleId: other)
      let id = try await fixture.buy(as: owner)
      for receipt in [
        try await fixture.apple.appReceipt(of: owner), try await fixture.apple.transactionReceipt(of: id),
      ] {
        let answers = try? await fixture.submit(receipt)
        #expect(answers?.allSatisfy { $0.verdict == .refused } ?? true)
      }
      #expect(try await fixture.coins() == 0)
      #expect(try await fixture.appStoreTasks().isEmpty)
    }
  }

  @Test func `leads to a hold if Apple rejects a receipt, and to a retry if the error may be ours`() throws {
    for (fault, state) in [
      (.receiptAccountGone, .held(.unknownToApple)), (.receiptDataFinal, .held(.unknownToApple)),
      (.receiptServiceDown, .fulfilled), (.receiptDataRetryable, .fulfilled),
    ] as [(AppStoreAPIFault, PaymentState)] {
      let fixture = try AppStoreEngineFixture(hasKey: false, asksVerifyReceipt: true)
      let id = try fixture.perform { fixture async throws in
        try await fixture.apple.apiSettings.plan(PlannedAPIFault(fault, count: nil))
        let order = try await fixture.order()
        let id = try await fixture.buy(token: order)
        let answers = try await fixture.submit(
          fixture.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [order])
        #expect(answers.map(\.verdict) == [.pending])
        return id
      }
      fixture.startBackgroundTasks()
      fixture.world.run(for: .hours(30))
      try fixture.perform { fixture async throws in
        #expect(try await fixture.payment(id)?.state == state, "\(fault)")
        #expect(try await fixture.appStoreTasks().isEmpty)
      }
    }
  }

  @Test func `leaves a subscription pending under a wrong shared secret, and grants it under the right one (1B.8)`()
    throws
  {
    for isRight in [false, true] {
      let fixture = try AppStoreEngineFixture(
        hasKey: false, asksVerifyReceipt: true,
        access: { access in
          if !isRight { access.verifyReceipt?.sharedSecret = Secret("00000000000000000000000000000000".utf8) }
        })
      let id = try fixture.perform { fixture async throws in
        let order = try await fixture.order("monthly")
        let id = try await fixture.buy("com.example.monthly", token: order)
        let answers = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice))
        #expect(answers.map(\.verdict) == [isRight ? .fulfilled : .pending])
        return id
      }
      fixture.startBackgroundTasks()
      fixture.world.run(for: .hours(30))
      // A mistake in the configuration takes away no user's purchase.
      try fixture.perform { fixture async throws in
        let payment = try #require(try await fixture.payment(id))
        #expect(payment.state == .fulfilled && payment.match?.flags.contains(.tokenUnseen) == !isRight)
      }
    }
  }

  // MARK: what it does without a key

  @Test func `names the order that the receipt does not show, and that order's user gets it (A6, A7)`() throws {
    let fixture = try AppStoreEngineFixture(hasKey: false, asksVerifyReceipt: true)
    try fixture.perform { fixture async throws in
      let order = try await fixture.order(of: "bob")
      let id = try await fixture.buy(as: AppStoreEngineFixture.bob, token: order)
      let answers = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.bob), by: "alice")
      #expect(answers.map(\.verdict) == [.fulfilledForAnother] && answers.first?.order == nil)
      #expect(try await fixture.coins(of: "bob") == 100)
      #expect(try await fixture.coins(of: "alice") == 0)
      #expect(try await fixture.payment(id)?.match?.rule == .exact)
      #expect(try await fixture.payment(id)?.match?.flags == [])
      #expect(try await fixture.appStoreTasks().isEmpty)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `receives a receipt once for all its purchases`() throws {
    let fixture = try AppStoreEngineFixture(hasKey: false, asksVerifyReceipt: true)
    try fixture.perform { fixture async throws in
      for _ in 0..<5 {
        let order = try await fixture.order()
        _ = try await fixture.buy(token: order)
      }
      let answers = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice))
      #expect(answers.map(\.verdict) == Array(repeating: .fulfilled, count: 5))
      #expect(fixture.calls.count(Self.path) == 1)
      #expect(try await fixture.coins() == 500)
    }
  }

  @Test func `is called at both hosts about a sandbox receipt, and twice about one it cannot read (1B.7, 1B.9)`() throws
  {
    let fixture = try AppStoreEngineFixture(hasKey: false, asksVerifyReceipt: true)
    try fixture.perform { fixture async throws in
      let tester = AppOwner(account: "tester@example.com", bundleId: AppStoreEngineFixture.alice.bundleId)
      try await fixture.apple.catalog.setAccount(SimulatedAppleAccount(id: tester.account, environment: .sandbox))
      let first = try await fixture.order()
      _ = try await fixture.buy(as: tester, token: first)
      #expect(try await fixture.submit(fixture.apple.appReceipt(of: tester)).map(\.verdict) == [.fulfilled])
      let hosts = ["https://buy.itunes.apple.com", "https://sandbox.itunes.apple.com"]
      #expect(fixture.calls.all == hosts.map { "POST \($0)/verifyReceipt" })
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.receiptUnreadable))
      let second = try await fixture.order()
      _ = try await fixture.buy(token: second)
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [
          .fulfilled
        ])
      #expect(fixture.calls.count("https://buy.itunes.apple.com") == 3)
    }
  }

  @Test func `shows a refund that is newer than the receipt (A9)`() throws {
    let fixture = try AppStoreEngineFixture(hasKey: false, asksVerifyReceipt: true)
    let receipt = try fixture.perform { fixture async throws in
      let order = try await fixture.order("premium")
      let id = try await fixture.buy("com.example.premium", token: order)
      let receipt = try await fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)
      _ = try await fixture.apple.refunds.refund(id)
      return receipt
    }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.submit(receipt).map(\.verdict) == [.revoked])
      #expect(try await fixture.engine.readEntitlements(of: "alice", in: EngineFixture.appEnvironment).isEmpty)
    }
  }

  @Test func `shows a family-shared purchase, which pays no order (A11)`() throws {
    let fixture = try AppStoreEngineFixture(hasKey: false, asksVerifyReceipt: true)
    try fixture.perform { fixture async throws in
      let order = try await fixture.order("premium", of: "bob")
      let id = try await fixture.buy("com.example.premium")
      let shared = try await fixture.apple.familySharing.share(id, with: AppStoreEngineFixture.bob.account)
      let answers = try await fixture.submit(
        fixture.apple.appReceipt(of: AppStoreEngineFixture.bob), by: "bob", orders: [order])
      #expect(answers.map(\.verdict) == [.fulfilled])
      let payment = try #require(try await fixture.payment(shared.id))
      #expect(payment.facts.ownership == .familyShared && payment.order == nil)
    }
  }

  @Test func `confirms a receipt of iOS 6 without a provable signer (1B.13)`() throws {
    let fixture = try AppStoreEngineFixture(hasKey: false, asksVerifyReceipt: true)
    try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let id = try await fixture.buy()
      let receipt = try await fixture.apple.transactionReceipt(of: id)
      #expect(try await fixture.submit(receipt, orders: [order]).map(\.verdict) == [.fulfilled])
      #expect(try await fixture.payment(id)?.match?.rule == .presented)
      #expect(try await fixture.payment(id)?.match?.flags.contains(.tokenUnseen) == true)
      // Another user with a copy of it gets nothing.
      let copy = try await fixture.submit(receipt, by: "mallory").first
      #expect(copy?.verdict == .fulfilledForAnother && copy?.order == nil)
      #expect(try await fixture.coins() == 100)
    }
  }

  // MARK: what it does beside a key

  @Test func `is called at once about what the App Store Server API does not know`() throws {
    let fixture = try AppStoreEngineFixture(asksVerifyReceipt: true)
    try fixture.perform { fixture async throws in
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.notFound, of: .transactionInfo, count: nil))
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [
          .fulfilled
        ])
      #expect(try await fixture.payment(id)?.order == order)
      #expect(fixture.calls.count(Self.path) == 1)
    }
  }

  @Test func `is called after a day of the API's silence, before a grant without the token`() throws {
    let fixture = try AppStoreEngineFixture(asksVerifyReceipt: true)
    let (id, order) = try fixture.perform { fixture async throws in
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.loseRequest, of: .transactionInfo, count: nil))
      let order = try await fixture.order(of: "bob")
      let id = try await fixture.buy(token: order)
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [.pending]
      )
      return (id, order)
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(20))
    #expect(fixture.calls.count(Self.path) == 0)
    fixture.world.run(for: .hours(10))
    try fixture.perform { fixture async throws in
      #expect(fixture.calls.count(Self.path) == 1)
      #expect(try await fixture.payment(id)?.order == order)
      #expect(try await fixture.coins(of: "bob") == 100)
    }
  }
}
