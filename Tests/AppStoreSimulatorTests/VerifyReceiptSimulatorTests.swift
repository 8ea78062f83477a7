import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing

@Suite struct `The simulated verifyReceipt` {
  private static let production = "https://buy.itunes.apple.com/verifyReceipt"
  private static let sandbox = "https://sandbox.itunes.apple.com/verifyReceipt"

  private func send(_ shop: SimulatedShop, _ request: HTTPRequest) async -> AppStoreAPIAnswer {
    await shop.store.serverAPI.answer(to: request)
  }

  private func ask(
    _ shop: SimulatedShop, _ receipt: String?, at address: String = production, password: String? = nil,
    excludingOld: Bool = false
  ) async -> JSONValue {
    let body = JSONValue.members([
      ("receipt-data", receipt.map(JSONValue.string)), ("password", password.map(JSONValue.string)),
      ("exclude-old-transactions", .bool(excludingOld)),
    ])
    guard case .response(let response, _) = await send(shop, HTTPRequest("POST", address, json: body)) else {
      return .null
    }
    #expect(response.status == 200, "each problem has a status in the body")
    return (try? JSONReader.read(response.body)) ?? .null
  }

  private func status(
    _ shop: SimulatedShop, _ receipt: String?, at address: String = production, password: String? = nil
  ) async -> Int64? { await ask(shop, receipt, at: address, password: password)["status"]?.integer }

  // MARK: what it refuses

  @Test func `accepts only a POST of one object with a receipt (AS-VR-1)`() async throws {
    let shop = try await SimulatedShop()
    guard case .response(let response, _) = await send(shop, HTTPRequest("GET", Self.production)) else {
      Issue.record("it answers")
      return
    }
    #expect(response.status == 200)
    #expect(try JSONReader.read(response.body)["status"]?.integer == 21000)
    for receipt in [nil, "", "not Base64", "AA AA"] { #expect(await status(shop, receipt) == 21002) }
    guard
      case .response(let list, _) = await send(
        shop, HTTPRequest("POST", Self.production, json: .array([.string("receipt-data")])))
    else {
      Issue.record("it answers")
      return
    }
    #expect(try JSONReader.read(list.body)["status"]?.integer == 21002)
  }

  @Test func `accepts only receipts that it signed itself, and only its own customers (AS-VR-2)`() async throws {
    let shop = try await SimulatedShop()
    let bought = try await shop.buy(SimulatedShop.coins).transaction
    var bytes = try #require(Base64.decode(try await shop.store.appReceipt(of: SimulatedShop.alice)))
    let place = try #require((0..<bytes.count).first { bytes[$0...].starts(with: "com.example.coins60".utf8) })
    bytes[place] = 0x43
    #expect(await status(shop, Base64.encode(bytes)) == 21003)
    #expect(await status(shop, Base64.encode(Array(bytes.prefix(bytes.count / 2)))) == 21002)
    #expect(await status(shop, Base64.encode(Array("{}".utf8))) == 21002)
    let stranger = try await SimulatedShop(seed: 7)
    #expect(await status(stranger, try await shop.store.appReceipt(of: SimulatedShop.alice)) == 21003)
    #expect(await status(stranger, try await shop.store.transactionReceipt(of: bought.id)) == 21003)
    // The same keys with an empty ledger: the receipt is valid, but its customer is unknown.
    let forgetful = try await SimulatedShop()
    #expect(forgetful.store.authority.root.der == shop.store.authority.root.der)
    #expect(await status(forgetful, try await shop.store.appReceipt(of: SimulatedShop.alice)) == 21010)
    #expect(await status(forgetful, try await shop.store.transactionReceipt(of: bought.id)) == 21010)
  }

  @Test func `sends each receipt to the host of its environment (AS-VR-3)`() async throws {
    for environment in SimulatedEnvironment.allCases {
      let shop = try await SimulatedShop(environment)
      let bought = try await shop.buy(SimulatedShop.coins).transaction
      let isProduction = environment == .production
      let receipts = [
        try await shop.store.appReceipt(of: SimulatedShop.alice),
        try await shop.store.transactionReceipt(of: bought.id),
      ]
      let (inProduction, inSandbox): (Int64, Int64) = isProduction ? (0, 21008) : (21007, 0)
      for receipt in receipts {
        #expect(await status(shop, receipt, at: Self.production) == inProduction)
        #expect(await status(shop, receipt, at: Self.sandbox) == inSandbox)
        // A simulator's single address serves both hosts, and by default the environment of its accounts.
        let here = "http://127.0.0.1:8081"
        #expect(await status(shop, receipt, at: here + "/verifyReceipt") == 0)
        #expect(await status(shop, receipt, at: here + "/app-store/production/verifyReceipt") == inProduction)
        #expect(await status(shop, receipt, at: here + "/app-store/sandbox/verifyReceipt") == inSandbox)
      }
      #expect(SimulatedServerAPI.answers(HTTPRequest("POST", "/verifyReceipt")))
    }
  }

  @Test func `shows subscriptions only with the shared secret, and refuses a wrong one (AS-VR-4)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.buy(SimulatedShop.coins)
    let secret = shop.store.authority.testSharedSecret
    #expect(secret.utf8.count == 32 && secret.allSatisfy(\.isHexDigit))
    let plain = try await shop.store.appReceipt(of: SimulatedShop.alice)
    #expect(await status(shop, plain) == 0)
    #expect(await status(shop, plain, password: secret) == 0)
    #expect(await status(shop, plain, password: "0" + secret.dropFirst()) == 21004)
    let month = try await shop.buy(SimulatedShop.month).transaction
    let receipts = [
      try await shop.store.appReceipt(of: SimulatedShop.alice), try await shop.store.transactionReceipt(of: month.id),
    ]
    for receipt in receipts {
      #expect(await status(shop, receipt) == 21004)
      #expect(await status(shop, receipt, password: secret) == 0)
    }
    let control = try await ControlledShop()
    #expect(
      try await control.send("GET", "/simulator/api-keys").json["testSharedSecret"]?.string
        == control.shop.store.authority.testSharedSecret)
  }

  // MARK: what it decodes

  @Test func `lists each purchase by its own id, with its current token and refund (AS-VR-5, AS-VR-6)`() async throws {
    let shop = try await SimulatedShop()
    let coins = try await shop.buy(SimulatedShop.coins).transaction
    let theme = try await shop.buy(SimulatedShop.theme).transaction
    let receipt = try await shop.store.appReceipt(of: SimulatedShop.alice)
    _ = try await shop.store.refunds.refund(theme.id)
    let answer = try VerifyReceiptResponse(await ask(shop, receipt))
    #expect(answer.status == .known(.valid) && answer.environment == .known(.production))
    #expect(answer.receipt?.bundleId == SimulatedShop.app.bundleId && answer.receipt?.isFlat == false)
    #expect(answer.receipt?.receiptType == "Production" && answer.receipt?.adamId == "123456789")
    #expect(answer.receipt?.requestDate == (await shop.store.now()))
    let listed = answer.transactions
    #expect(listed.map(\.transactionId) == [coins.id.text, theme.id.text])
    #expect(listed.map(\.productId) == [coins.product.text, theme.product.text])
    #expect(listed.map(\.quantity) == [1, 1])
    #expect(listed.map(\.purchaseDate) == [coins.purchaseDate, theme.purchaseDate])
    #expect(listed.map(\.appAccountToken) == [SimulatedShop.token.text, SimulatedShop.token.text])
    #expect(listed.map { $0.cancellationDate == nil } == [true, false])
    #expect(answer.latestReceiptInfo.isEmpty && answer.latestReceipt == nil)
    // Every value is a text, and each date appears in three forms: winter in California.
    let entry = try #require(await ask(shop, receipt)["receipt"]?["in_app"]?.array?.first?.object)
    #expect(entry.allSatisfy { $0.value.string != nil })
    let dates = entry.filter { $0.name.hasPrefix("purchase_date") }.compactMap(\.value.string)
    #expect(
      dates == ["2026-11-20 12:00:00 Etc/GMT", "1795176000000", "2026-11-20 04:00:00 America/Los_Angeles"])
  }

  @Test(arguments: [
    ("2026-03-08T09:59:59Z", "01:59:59"), ("2026-03-08T10:00:00Z", "03:00:00"), ("2026-11-01T08:59:59Z", "01:59:59"),
    ("2026-11-01T09:00:00Z", "01:00:00"),
  ])
  func `knows California's summer time (AS-VR-6)`(moment: String, clock: String) async throws {
    let moment = try #require(Timestamp(iso8601: moment))
    let shop = try await SimulatedShop(time: ManualTime(moment))
    try await shop.buy(SimulatedShop.coins)
    let answer = await ask(shop, try await shop.store.appReceipt(of: SimulatedShop.alice))
    let text = try #require(answer["receipt"]?["in_app"]?.array?.first?["purchase_date_pst"]?.string)
    #expect(text == "\(moment.utcDay) \(clock) America/Los_Angeles")
  }

  @Test func `lists the newest periods of subscriptions beside the receipt, and their renewal status`() async throws {
    let shop = try await SimulatedShop()
    let secret = shop.store.authority.testSharedSecret
    let month = try await shop.buy(SimulatedShop.month).transaction
    let receipt = try await shop.store.appReceipt(of: SimulatedShop.alice)
    shop.time.advance(by: .days(30))
    let renewed = try await shop.store.subscriptions.renew(month.id)
    let answer = try VerifyReceiptResponse(await ask(shop, receipt, password: secret))
    #expect(answer.receipt?.inApp.map(\.transactionId) == [month.id.text])
    #expect(answer.latestReceiptInfo.map(\.transactionId) == [renewed.id.text, month.id.text])
    #expect(answer.latestReceiptInfo.allSatisfy { $0.originalTransactionId == month.id.text })
    #expect(answer.latestReceipt == receipt)
    #expect(answer.pendingRenewalInfo.map(\.autoRenewStatus) == ["1"])
    #expect(answer.pendingRenewalInfo.map(\.originalTransactionId) == [month.id.text])
    let short = try VerifyReceiptResponse(await ask(shop, receipt, password: secret, excludingOld: true))
    #expect(short.latestReceiptInfo.map(\.transactionId) == [renewed.id.text])
  }

  @Test func `has the flat shape for an iOS 6 receipt, and 21006 once its subscription has expired (AS-VR-5)`()
    async throws
  {
    let shop = try await SimulatedShop()
    let month = try await shop.buy(SimulatedShop.month).transaction
    let receipt = try await shop.store.transactionReceipt(of: month.id)
    let secret = shop.store.authority.testSharedSecret
    let flat = try VerifyReceiptResponse(await ask(shop, receipt, password: secret))
    #expect(flat.status == .known(.valid) && flat.receipt?.isFlat == true && flat.receipt?.receiptType == nil)
    #expect(flat.transactions.map(\.transactionId) == [month.id.text])
    #expect(flat.transactions.first?.expiresDate == month.period?.expiresDate)
    #expect(flat.latestReceiptInfo.count == 1 && flat.latestExpiredReceiptInfo.isEmpty)
    shop.time.advance(by: .days(40))
    let over = try VerifyReceiptResponse(await ask(shop, receipt, password: secret))
    #expect(over.status == .known(.expired) && over.receipt?.bundleId == SimulatedShop.app.bundleId)
    #expect(over.latestExpiredReceiptInfo.count == 1 && over.latestReceiptInfo.isEmpty)
  }

  // MARK: what goes wrong

  @Test func `fails as planned, with Apple's numbers and by the connection (AS-VR-7)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.buy(SimulatedShop.coins)
    let receipt = try await shop.store.appReceipt(of: SimulatedShop.alice)
    let numbers: [(AppStoreAPIFault, Int64)] = [
      (.receiptUnreadable, 21002), (.receiptServiceDown, 21005), (.receiptServiceFailed, 21009),
      (.receiptAccountGone, 21010), (.receiptDataRetryable, 21100), (.receiptDataFinal, 21199),
    ]
    for (fault, number) in numbers {
      try await shop.store.apiSettings.plan(PlannedAPIFault(fault))
      let answer = try VerifyReceiptResponse(await ask(shop, receipt))
      #expect(answer.status.rawValue == number && answer.receipt == nil)
      #expect(answer.isRetryable == [21100: true, 21199: false][number])
      #expect(await status(shop, receipt) == 0, "it struck once")
    }
    let request = HTTPRequest("POST", Self.production, json: .members([("receipt-data", .string(receipt))]))
    for (fault, answer) in [(.unreachable, .unreachable), (.loseRequest, .lost), (.loseAnswer, .lost)]
      as [(AppStoreAPIFault, AppStoreAPIAnswer)]
    {
      try await shop.store.apiSettings.plan(PlannedAPIFault(fault, of: .verifyReceipt))
      #expect(await send(shop, request) == answer)
    }
    // A fault that only the API knows does not apply here, and stays planned.
    try await shop.store.apiSettings.plan(PlannedAPIFault(.rateLimited))
    #expect(await status(shop, receipt) == 0)
    #expect(await shop.store.apiFaults() == [PlannedAPIFault(.rateLimited)])
  }
}
