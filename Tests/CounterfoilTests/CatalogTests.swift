import Counterfoil
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

extension ClientWorld {
  fileprivate func catalog() -> Result<Catalog, PurchasingError>? {
    ask { purchasing in
      do throws(PurchasingError) { return .success(try await purchasing.catalog()) } catch { return .failure(error) }
    }
  }

  fileprivate func availability() -> PurchaseAvailability? { ask { try? await $0.availability() } ?? nil }
}

@Suite struct `A catalog` {
  @Test func `joins the server's products with the store's prices, in the server's order`() throws {
    let world = ClientWorld()
    world.launch()
    let catalog = try #require(try world.catalog()?.get())
    #expect(catalog.items.map(\.id) == ["coins60", "coins300"] && catalog.isPriced && catalog.unknown.isEmpty)
    let item = try #require(catalog["coins60"])
    #expect(item.grant == .units("coins", amount: 60) && item.kind == .consumable && item.store == .appStore)
    #expect(item.appStore?.id == "com.example.coins60" && !item.displayPrice.isEmpty)
    #expect(world.server.requests("products").count == 1)
  }

  @Test(arguments: [ScriptedAppStore.ProductAnswer.fails, .hangs])
  func `sells without prices if the store does not answer, after 4 s at most (1A.22)`(
    _ answer: ScriptedAppStore.ProductAnswer
  ) throws {
    let world = ClientWorld()
    world.store.answerProducts(answer)
    world.launch()
    world.goOn(for: .seconds(1))
    let begin = world.clock.now
    let catalog = try #require(try world.catalog()?.get())
    #expect(catalog.items.count == 2 && !catalog.isPriced && catalog.items.allSatisfy { $0.displayPrice.isEmpty })
    #expect(world.clock.now - begin <= .seconds(4))
  }

  @Test func `leaves out what the store does not know, and names it (1A.20)`() throws {
    let world = ClientWorld()
    world.store.answerProducts(.nothing)
    world.launch()
    let catalog = try #require(try world.catalog()?.get())
    #expect(catalog.items.isEmpty && catalog.unknown == ["coins60", "coins300"] && catalog.isPriced)
  }

  @Test func `chooses the rail per product: virtual goods at the App Store, articles at WeChat Pay (1A.1)`() throws {
    let world = ClientWorld()
    var shirt = ScriptedProduct("coinsShirt")
    (shirt.isPhysical, shirt.weChatPriceInFen, shirt.isInAppStore) = (true, 8_850, false)
    var coins = ScriptedProduct("coins60")
    coins.weChatPriceInFen = 600
    world.server.setProducts(shirt, coins)
    world.launch()
    let catalog = try #require(try world.catalog()?.get())
    #expect(catalog["coinsShirt"]?.store == .weChatPay && catalog["coinsShirt"]?.displayPrice == "¥88.50")
    #expect(catalog["coins60"]?.store == .appStore && catalog["coins60"]?.appStore != nil)
    #expect(catalog["coinsShirt"]?.appStore == nil)
  }

  @Test func `shows WeChat Pay's prices where there is no App Store`() throws {
    let world = ClientWorld()
    var coins = ScriptedProduct("coins60")
    coins.weChatPriceInFen = 600
    world.server.setProducts(coins, ScriptedProduct("coins300"))
    world.hasAppStore = false
    world.configure = { $0.store = .weChatPay }
    world.launch()
    let catalog = try #require(try world.catalog()?.get())
    #expect(catalog.items.map(\.id) == ["coins60"], "what is not sold here is left out")
    #expect(catalog["coins60"]?.displayPrice == "¥6.00" && catalog.isPriced)
  }

  @Test(arguments: [
    ScriptedBackend.Fault.requestLost, .answers(HTTPResponse(status: 200, json: .object([]))),
    .answers(HTTPResponse(status: 200, body: Array("<html>".utf8))),
  ])
  func `is an error, never empty, if the server cannot be asked`(_ fault: ScriptedBackend.Fault) {
    let world = ClientWorld()
    world.server.always("products", fault)
    world.launch()
    #expect(world.catalog()?.code == .serverUnreachable)
  }

  @Test func `leaves out a product of a kind that this version does not know`() throws {
    let world = ClientWorld()
    let answer =
      #"{"products":[{"productId":"a","kind":"hologram","appStoreProductIds":[],"grant":{"unit":"c","amount":1}},"#
      + #"{"productId":"b","kind":"consumable","appStoreProductIds":["com.example.b"],"grant":{"dance":"x"}}]}"#
    world.server.always("products", .answers(HTTPResponse(status: 200, body: Array(answer.utf8))))
    world.launch()
    #expect(try world.catalog()?.get().items == [])
  }

  @Test(arguments: [
    (SubscriptionPeriod(1, .month), "month", "1 个月"), (SubscriptionPeriod(3, .month), "3 months", "3 个月"),
    (SubscriptionPeriod(1, .week), "week", "1 周"), (SubscriptionPeriod(2, .year), "2 years", "2 年"),
  ])
  func `says a period in both languages`(_ period: SubscriptionPeriod, _ english: String, _ chinese: String) {
    #expect(period.words == BilingualText(english, chinese))
  }

  @Test func `shows price and period, and before them the offer that this customer may have`() {
    var product = StoreProduct(id: "com.example.club", name: "Club", displayPrice: "¥25.00")
    product.period = SubscriptionPeriod(1, .month)
    product.introductoryOffer = SubscriptionOffer(
      payment: .freeTrial, displayPrice: "¥0.00", period: SubscriptionPeriod(1, .week))
    var item = CatalogItem("club", kind: .autoRenewable, grant: .entitlement("club", seconds: nil))
    item.appStore = product
    #expect(item.priceWords(.english) == "¥25.00 per month", "nobody said that the customer may have it")
    item.appStore?.isEligibleForIntroductoryOffer = false
    #expect(item.priceWords(.english) == "¥25.00 per month")
    item.appStore?.isEligibleForIntroductoryOffer = true
    #expect(item.priceWords(.english) == "1 week free, then ¥25.00 per month")
    #expect(item.priceWords(.chinese) == "免费试用 1 周，之后每 1 个月 ¥25.00")
  }
}

@Suite struct `The check before the shop is shown` {
  @Test func `names nothing where everything works, and asks no server (1A.18)`() {
    let world = ClientWorld()
    world.launch()
    world.goOn(for: .minutes(1))
    let before = world.server.requests.count
    let answer = world.availability()
    #expect(answer?.canPurchase == true && answer?.problems == [] && answer?.weChat == .available)
    #expect(world.server.requests.count == before && world.store.sheets.isEmpty)
  }

  @Test func `names forbidden payments and a missing user, the most important first`() {
    let world = ClientWorld()
    world.store.forbidPayments()
    world.launch(as: nil)
    let answer = world.availability()
    #expect(answer?.problems == [.notSignedIn, .paymentsDisabled] && answer?.canPurchase == false)
  }

  @Test func `names a missing WeChat where WeChat Pay is the store`() {
    let world = ClientWorld()
    world.hasWeChat = false
    world.configure = { $0.store = .weChatPay }
    world.launch()
    #expect(world.availability()?.problems == [.weChatAbsent])
    #expect(world.availability()?.problems(at: .appStore) == [])
  }

  @Test func `names a vault that cannot be read`() {
    let world = ClientWorld()
    world.disk.refuseReads(true)
    world.launch()
    #expect(world.availability()?.problems == [.vaultUnavailable])
  }
}

extension Result where Failure == PurchasingError {
  fileprivate var code: PurchasingErrorCode? {
    guard case .failure(let error) = self else { return nil }
    return error.code
  }
}
