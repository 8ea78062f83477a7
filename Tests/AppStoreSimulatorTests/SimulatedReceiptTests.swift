import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import Testing

@Suite struct `A simulated receipt` {
  private func verifier(_ shop: SimulatedShop) throws -> ReceiptVerifier {
    try ReceiptVerifier(SignedDataConfiguration(profile: .development, anchors: [shop.store.authority.root]))
  }

  private func purchases(_ shop: SimulatedShop, _ owner: AppOwner = SimulatedShop.alice) async throws
    -> [ReceiptPurchase]
  {
    let verdict = try verifier(shop).verifyAppReceipt(
      try await shop.store.appReceipt(of: owner), expecting: SimulatedShop.expectations, at: await shop.store.now())
    let verified = try #require(verdict.verified, "\(verdict.failure?.description ?? "")")
    return try AppStoreEvidence.purchases(of: verified).map { try $0.get() }
  }

  @Test func `is refused by a verifier that trusts only Apple, and refused if it was changed`() async throws {
    let shop = try await SimulatedShop()
    try await shop.buy(SimulatedShop.coins)
    let text = try await shop.store.appReceipt(of: SimulatedShop.alice)
    let now = await shop.store.now()
    let production = try ReceiptVerifier(.production)
    #expect(
      production.verifyAppReceipt(text, expecting: SignedDataExpectations(), at: now).failure?.code == .untrusted)
    var bytes = try #require(Base64.decode(text))
    let place = try #require((0..<bytes.count).first { bytes[$0...].starts(with: "com.example.coins60".utf8) })
    bytes[place] = 0x43
    let changed = try verifier(shop).verifyAppReceipt(
      Base64.encode(bytes), expecting: SimulatedShop.expectations, at: now)
    #expect(changed.failedCheck == .signature)
    await #expect(throws: CodedError<SimulatorErrorCode>(.appUnknown)) {
      try await shop.store.appReceipt(of: AppOwner(account: "alice@example.com", bundleId: "com.example.other"))
    }
    await #expect(throws: CodedError<SimulatorErrorCode>(.accountUnknown)) {
      try await shop.store.appReceipt(of: AppOwner(account: "nobody", bundleId: SimulatedShop.app.bundleId))
    }
    await #expect(throws: CodedError<SimulatorErrorCode>(.transactionUnknown)) {
      try await shop.store.transactionReceipt(of: "1")
    }
  }

  @Test func `contains a consumable until it is finished, and all other purchases forever (AS-RCPT-1)`() async throws {
    let shop = try await SimulatedShop()
    #expect(try await purchases(shop).isEmpty)
    var bought: [TransactionIdentifier] = []
    for product in SimulatedShop.products.dropLast() { bought.append(try await shop.buy(product).transaction.id) }
    let all = try await purchases(shop)
    #expect(all.map(\.transaction) == bought)
    #expect(all.map(\.kind) == [.consumable, .nonConsumable, .nonRenewing, .autoRenewable])
    #expect(all.allSatisfy { $0.environment == .simulated && $0.bundleId == SimulatedShop.app.bundleId })
    #expect(all[3].expiresDate != nil && all[3].webOrderLineItem != nil && all[0].webOrderLineItem == nil)
    #expect(try await purchases(shop, SimulatedShop.bob).isEmpty)
    for id in bought { try await shop.store.purchases.finish(id, of: SimulatedShop.alice) }
    #expect(try await purchases(shop).map(\.transaction) == Array(bought.dropFirst()))
    _ = try await shop.store.refunds.refund(bought[1])
    let refunded = try await purchases(shop)
    #expect(refunded[0].cancellationDate != nil && refunded[1].cancellationDate == nil)
  }

  @Test(arguments: SimulatedEnvironment.allCases)
  func `has Apple's shape, and belongs to the device that asks (AS-RCPT-2)`(
    _ environment: SimulatedEnvironment
  ) async throws {
    let shop = try await SimulatedShop(environment)
    try await shop.buy(SimulatedShop.coins)
    let text = try await shop.store.appReceipt(of: SimulatedShop.alice, for: SimulatedShop.device)
    #expect(text.hasPrefix("MI"))
    let digits = SimulatedShop.device.text.compactMap(\.hexDigitValue)
    let device = stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    let now = await shop.store.now()
    let judge = { (device: [UInt8]) in
      try verifier(shop).verifyAppReceipt(text, expecting: SimulatedShop.expectations, device: device, at: now)
    }
    let verified = try #require(judge(device).verified)
    #expect(verified.receipt.environment == (environment == .production ? "Production" : "ProductionSandbox"))
    #expect(verified.chain?.anchor == .configured(shop.store.authority.root.subject.description))
    #expect(try judge(device.reversed()).failure?.code == .otherDevice)
  }

  @Test func `of one transaction is valid if the verifier knows the simulator's intermediate (AS-RCPT-3)`() async throws
  {
    let shop = try await SimulatedShop(.sandbox)
    let bought = try await shop.buy(SimulatedShop.month).transaction
    let text = try await shop.store.transactionReceipt(of: bought.id)
    #expect(text.hasPrefix("ew"))
    let now = await shop.store.now()
    let stranger = try verifier(shop)
    let verdict = stranger.verifyTransactionReceipt(text, expecting: SignedDataExpectations(), at: now)
    #expect(verdict.failure?.code == .chainNotShown && verdict.unconfirmed?.transactionId == bought.id.text)
    let receipt = try #require(Base64.decode(try await shop.store.appReceipt(of: SimulatedShop.alice)))
    let intermediate = try X509Certificate(der: CMSSignedData(receipt).certificates[1].der)
    let verifier = try ReceiptVerifier(
      SignedDataConfiguration(profile: .development, anchors: [shop.store.authority.root]),
      intermediates: [intermediate])
    let verified = try #require(
      verifier.verifyTransactionReceipt(text, expecting: SimulatedShop.expectations, at: now).verified)
    let purchase = try AppStoreEvidence.purchase(of: verified)
    #expect(purchase.transaction == bought.id && purchase.expiresDate == bought.period?.expiresDate)
    #expect(purchase.purchaseDate == bought.purchaseDate && purchase.storeProduct == bought.product)
  }

  @Test func `is served by the control API in both forms`() async throws {
    let shop = try await ControlledShop(.sandbox)
    let bought = try await shop.shop.buy(SimulatedShop.coins).transaction
    let owner = "?account=alice%40example.com&bundleId=com.example.shop"
    let text = try await shop.send("GET", "/simulator/app-receipt" + owner).json["appReceipt"]?.string
    #expect(text.flatMap { ReceiptForm($0) } == .appReceipt)
    let other = try await shop.send("GET", "/simulator/transactions/\(bought.id.text)/receipt")
    #expect(other.json["transactionReceipt"]?.string.flatMap { ReceiptForm($0) } == .transactionReceipt)
    #expect(try await shop.send("GET", "/simulator/app-receipt?account=a&bundleId=b").status == 404)
    #expect(try await shop.send("GET", "/simulator/transactions/1/receipt").status == 404)
  }

  /// Apple's own library reads receipts without verifying them: two independent implementations.
  @Test(.enabled(if: ApplesLibrary.isInstalled, "\(ApplesLibrary.absence)"))
  func `is read by Apple's own library in both forms`() async throws {
    let shop = try await SimulatedShop()
    let empty = try await shop.store.appReceipt(of: SimulatedShop.bob)
    let bought = try await shop.buy(SimulatedShop.coins).transaction
    let items: [(String, String)] = [
      ("appReceipt", try await shop.store.appReceipt(of: SimulatedShop.alice)),
      ("transactionReceipt", try await shop.store.transactionReceipt(of: bought.id)), ("appReceipt", empty),
      ("appReceipt", "AAAA"),
    ]
    let question = JSONValue.members([
      (
        "items",
        .array(items.map { .members([("kind", .string($0)), ("receipt", .string($1))]) })
      )
    ])
    let answers = try ApplesLibrary.read(question, by: "apple_reads_receipts.py")
    #expect(answers.count == 4)
    #expect(answers[0]["transactionId"]?.string == bought.id.text)
    #expect(answers[1]["transactionId"]?.string == bought.id.text)
    #expect(answers[2]["transactionId"] == .null && answers[3]["error"] != nil)
  }
}
