import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing

@Suite struct `A purchase in the simulator is refused` {
  @Test func `for an app, product or account that does not exist (AS-CAT-1)`() async throws {
    let shop = try await SimulatedShop()
    let purchases = shop.store.purchases
    var request = SimulatedPurchaseRequest(
      owner: AppOwner(account: SimulatedShop.alice.account, bundleId: "com.example.other"),
      product: SimulatedShop.coins.id)
    await #expect(throws: CodedError(SimulatorErrorCode.appUnknown)) { try await purchases.purchase(request) }
    request.owner = AppOwner(account: "nobody", bundleId: SimulatedShop.app.bundleId)
    await #expect(throws: CodedError(SimulatorErrorCode.accountUnknown)) { try await purchases.purchase(request) }
    request.owner = SimulatedShop.alice
    request.product = "com.example.coins61"
    await #expect(throws: CodedError(SimulatorErrorCode.productUnknown)) { try await purchases.purchase(request) }
    #expect(await shop.store.charges().isEmpty)
  }

  @Test(arguments: [0, -1, 11, 1000])
  func `for a quantity that is not sold (AS-BUY-1)`(quantity: Int) async throws {
    let shop = try await SimulatedShop()
    for product in SimulatedShop.products {
      await #expect(throws: CodedError(SimulatorErrorCode.quantityNotAllowed)) {
        try await shop.buy(product) { $0.quantity = quantity }
      }
    }
    for product in [SimulatedShop.theme, SimulatedShop.month] {
      await #expect(throws: CodedError(SimulatorErrorCode.quantityNotAllowed)) {
        try await shop.buy(product) { $0.quantity = 2 }
      }
    }
    #expect(await shop.store.charges().isEmpty)
  }

  @Test func `on demand, before money moves (AS-FAULT-1)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.failPurchases, to: 2)
    for _ in 0..<2 {
      await #expect(throws: CodedError(SimulatorErrorCode.purchaseFailed)) { try await shop.buy(SimulatedShop.coins) }
    }
    #expect(await shop.store.charges().isEmpty)
    #expect(await shop.store.notifications().isEmpty)
    try await shop.buy(SimulatedShop.coins)
    #expect(await shop.store.charges().count == 1)
  }

  @Test func `while the account has the subscription (AS-SUB-5)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.buy(SimulatedShop.month)
    await #expect(throws: CodedError(SimulatorErrorCode.alreadySubscribed)) { try await shop.buy(SimulatedShop.month) }
    try await shop.buy(SimulatedShop.month, by: SimulatedShop.bob)
    #expect(await shop.store.charges().count == 2)
  }

  @Test func `never after the charge: a lost answer leaves it unfinished (AS-FAULT-2, S3)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.losePurchaseAnswers, to: 1)
    await #expect(throws: CodedError(SimulatorErrorCode.answerLost)) { try await shop.buy(SimulatedShop.coins) }
    let charges = await shop.store.charges()
    #expect(charges.count == 1)
    let unfinished = try await shop.store.unfinishedTransactions(of: SimulatedShop.alice)
    #expect(unfinished.map(\.transaction.id) == charges.map(\.transaction.id))
    #expect(unfinished.first?.transaction.appAccountToken == SimulatedShop.token)
    #expect(await shop.store.notifications().count == 1)
  }
}

@Suite struct `A purchase in the simulator` {
  @Test(arguments: SimulatedShop.products)
  func `of each kind is charged and signed with all fields that Apple states (AS-BUY-2, AS-SIGN-1, AS-SUB-1)`(
    product: SimulatedProduct
  ) async throws {
    let shop = try await SimulatedShop()
    let isSeveral = [.consumable, .nonRenewing].contains(product.kind)
    let bought = try await shop.buy(product) { $0.quantity = isSeveral ? 3 : 1 }
    #expect(bought.outcome == .charged)
    let payload = try await shop.verified(bought.signedTransaction)
    #expect(payload.transactionId == bought.transaction.id.text)
    #expect(payload.originalTransactionId == payload.transactionId)
    #expect(payload.bundleId == SimulatedShop.app.bundleId)
    #expect(payload.productId == product.id.text)
    #expect(payload.type == .known(product.kind.type))
    #expect(payload.quantity == (isSeveral ? 3 : 1))
    #expect(payload.appAccountToken == SimulatedShop.token.text)
    #expect(payload.inAppOwnershipType == .known(.purchased))
    #expect(payload.transactionReason == .known(.purchase))
    #expect(payload.environment == .known(.production))
    #expect(payload.storefront == "CHN" && payload.storefrontId == "143465")
    #expect(payload.price == product.price.milliunits && payload.currency == "CNY")
    #expect(payload.signedDate == SimulatedShop.noon)
    #expect(payload.purchaseDate == Timestamp(seconds: SimulatedShop.noon.seconds))
    #expect(payload.revocationDate == nil && payload.revocationPercentage == nil)
    let isSubscription = product.kind.type == .autoRenewableSubscription
    #expect((payload.expiresDate != nil) == isSubscription)
    #expect((payload.webOrderLineItemId != nil) == isSubscription)
    #expect(payload.subscriptionGroupIdentifier == (isSubscription ? "21752814" : nil))
    #expect(payload.originalPurchaseDate == payload.purchaseDate.map { $0 + (isSubscription ? .seconds(1) : .zero) })
  }

  @Test func `keeps its price, country and pieces when the shop changes (AS-BUY-3)`() async throws {
    let shop = try await SimulatedShop()
    let bought = try await shop.buy(SimulatedShop.coins)
    var dearer = SimulatedShop.coins
    dearer.price = StatedPrice(milliunits: 9990, currency: "USD")
    try await shop.store.catalog.setProduct(dearer, bundleId: SimulatedShop.app.bundleId)
    let abroad = SimulatedAppleAccount(
      id: SimulatedShop.alice.account, storefront: try #require(Storefront(country: "USA")), environment: .production)
    try await shop.store.catalog.setAccount(abroad)
    let before = try await shop.verified(
      try await shop.store.signedTransaction(bought.transaction.id).signedTransaction)
    #expect(before.price == 6000 && before.currency == "CNY" && before.storefront == "CHN")
    let after = try await shop.verified(try await shop.buy(SimulatedShop.coins).signedTransaction)
    #expect(after.price == 9990 && after.currency == "USD" && after.storefrontId == "143441")
  }

  @Test func `has increasing numbers, with gaps, and as many digits as Apple's (AS-ID-1)`() async throws {
    for (environment, digits) in [(SimulatedEnvironment.sandbox, 16), (.production, 15)] {
      let shop = try await SimulatedShop(environment)
      var last: Int64 = 0
      var steps: Set<Int64> = []
      for _ in 0..<20 {
        let id = try await shop.buy(SimulatedShop.coins).transaction.id
        let number = try #require(Int64(id.text))
        #expect(id.text.utf8.count == digits && number > last)
        if last > 0 { steps.insert(number - last) }
        last = number
      }
      #expect(steps.count > 1)
      // A new simulator, started a minute later, begins with a higher number.
      let later = try await SimulatedShop(environment, time: ManualTime(SimulatedShop.noon + .minutes(1)))
      let next = try #require(Int64(try await later.buy(SimulatedShop.coins).transaction.id.text))
      #expect(next > last)
    }
  }

  @Test func `keeps only a UUID as its token, in lower case (AS-BUY-6)`() async throws {
    for text in ["", "alice", "01990c774e6b7c1d9a430123456789ab", "01990c77-4e6b-7c1d-9a43-0123456789aG"] {
      #expect(AppStoreUUID(text) == nil, "\(text)")
    }
    let written = try #require(AppStoreUUID(SimulatedShop.token.text.uppercased()))
    #expect(written == SimulatedShop.token && written.text == SimulatedShop.token.text)
  }

  @Test func `loses its token on demand, and no other purchase does (AS-FAULT-3, S2)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.loseTokens, to: 1)
    // A purchase without a token has none to lose.
    try await shop.buy(SimulatedShop.coins) { $0.appAccountToken = nil }
    let lost = try await shop.buy(SimulatedShop.coins)
    #expect(try await shop.verified(lost.signedTransaction).appAccountToken == nil)
    let kept = try await shop.buy(SimulatedShop.coins)
    #expect(try await shop.verified(kept.signedTransaction).appAccountToken == SimulatedShop.token.text)
  }

  @Test func `of an owned product costs nothing and is delivered again (AS-BUY-4)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.theme)
    try await shop.store.purchases.finish(first.transaction.id, of: SimulatedShop.alice)
    let again = try await shop.buy(SimulatedShop.theme)
    #expect(again.outcome == .alreadyOwned && again.transaction.id == first.transaction.id)
    let unfinished = try await shop.store.unfinishedTransactions(of: SimulatedShop.alice)
    #expect(unfinished.map(\.transaction.id) == [first.transaction.id])
    #expect(try await shop.buy(SimulatedShop.theme).outcome == .alreadyOwned)
    try await shop.buy(SimulatedShop.theme, by: SimulatedShop.bob)
    #expect(await shop.store.charges().count == 2)
    #expect(await shop.store.notifications().count == 2)
  }

  @Test func `of an owned product gets a further id on demand, which is no charge (AS-BUY-4, AS-REF-3)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.theme)
    try await shop.store.setBehaviour(.newIdWhenOwned, to: 1)
    let echo = try await shop.buy(SimulatedShop.theme)
    #expect(echo.outcome == .alreadyOwned && echo.transaction.id != first.transaction.id)
    let payload = try await shop.verified(echo.signedTransaction)
    #expect(payload.originalTransactionId == first.transaction.id.text)
    #expect(payload.originalPurchaseDate == first.transaction.purchaseDate)
    #expect(await shop.store.charges().map(\.transaction.id) == [first.transaction.id])
    await #expect(throws: CodedError(SimulatorErrorCode.nothingToRefund)) {
      try await shop.store.refunds.refund(echo.transaction.id)
    }
    _ = try await shop.store.refunds.refund(first.transaction.id)
    let refunded = try await shop.verified(
      try await shop.store.signedTransaction(echo.transaction.id).signedTransaction)
    #expect(refunded.revocationType == .known(.refundFull))
    // A fully refunded product is no longer owned.
    #expect(try await shop.buy(SimulatedShop.theme).outcome == .charged)
  }

  @Test func `of an owned product may carry the new token under its further id (AS-BUY-4)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.buy(SimulatedShop.theme)
    try await shop.store.setBehaviour(.newIdWhenOwned, to: 1)
    let token = AppStoreUUID(OrderIdentifier(high: 0x4000, low: 1 << 63 | 7))
    let kept = try await shop.buy(SimulatedShop.theme) { $0.appAccountToken = token }
    #expect(kept.transaction.appAccountToken == SimulatedShop.token)
    try await shop.store.setBehaviour(.newTokenWhenOwned, to: 1)
    let renamed = try await shop.buy(SimulatedShop.theme) { $0.appAccountToken = token }
    #expect(renamed.outcome == .alreadyOwned && renamed.transaction.appAccountToken == token)
  }

  @Test func `is possible again after any refund, also after a partial one (AS-BUY-4, AS-BUY-8)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.theme).transaction
    _ = try await shop.store.refunds.refund(first.id, percentage: 1)
    let second = try await shop.buy(SimulatedShop.theme)
    #expect(second.outcome == .charged && second.transaction.originalId == second.transaction.id)
    _ = try await shop.store.refunds.refund(second.transaction.id)
    try await shop.store.setBehaviour(.oldOriginalWhenBoughtAgain, to: 1)
    let third = try await shop.buy(SimulatedShop.theme)
    #expect(third.outcome == .charged && third.transaction.originalId == first.id)
    let payload = try await shop.verified(third.signedTransaction)
    #expect(payload.originalPurchaseDate == first.purchaseDate && payload.revocationDate == nil)
    #expect(await shop.store.charges().map(\.refundedPercentage) == [1, 100_000, 0])
  }

  @Test func `is restored under its id, or under a further id on demand (AS-BUY-7)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.buy(SimulatedShop.coins)
    let theme = try await shop.buy(SimulatedShop.theme).transaction
    let month = try await shop.buy(SimulatedShop.month).transaction
    let restored = try await shop.store.purchases.restore(of: SimulatedShop.alice)
    #expect(restored.map(\.transaction.id) == [theme.id, month.id])
    try await shop.store.setBehaviour(.newIdWhenRestored, to: 1)
    for _ in 0..<2 {
      let further = try await shop.store.purchases.restore(of: SimulatedShop.alice, for: SimulatedShop.device)
      #expect(further.map(\.transaction.repeats) == [theme.id, month.id])
      let payload = try await shop.verified(try #require(further.last).signedTransaction)
      #expect(payload.originalTransactionId == month.id.text && payload.purchaseDate == month.purchaseDate)
      #expect(payload.webOrderLineItemId == month.period?.webOrderLineItemId)
    }
    #expect(await shop.store.charges().count == 3)
    _ = try await shop.store.refunds.refund(month.id)
    let last = try #require(await shop.store.transactions().last)
    let told = try await shop.verified(try await shop.store.signedTransaction(last.id).signedTransaction)
    #expect(told.revocationType == .known(.refundFull))
    // A further id of a period is not a period: the subscription continues from the paid one.
    #expect(try await shop.buy(SimulatedShop.month).transaction.originalId == month.id)
  }

  @Test func `through StoreKit 1 delivers an unfinished purchase of the product instead (AS-BUY-5, X13)`() async throws
  {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.coins) { $0.interface = .storeKit1 }
    let second = try await shop.buy(SimulatedShop.coins) { $0.interface = .storeKit1 }
    #expect(second.outcome == .unfinishedDelivered && second.transaction.id == first.transaction.id)
    #expect(await shop.store.charges().count == 1)
    #expect(try await shop.buy(SimulatedShop.season) { $0.interface = .storeKit1 }.outcome == .charged)
    #expect(try await shop.buy(SimulatedShop.coins).outcome == .charged)
    try await shop.store.purchases.finish(first.transaction.id, of: SimulatedShop.alice)
    let unfinished = try await shop.buy(SimulatedShop.coins) { $0.interface = .storeKit1 }
    #expect(unfinished.outcome == .unfinishedDelivered && unfinished.transaction.id != first.transaction.id)
  }

  @Test func `carries the app transaction id of the account (AS-SIGN-4)`() async throws {
    let shop = try await SimulatedShop()
    let alices = try await shop.verified(try await shop.buy(SimulatedShop.coins).signedTransaction)
    let again = try await shop.verified(try await shop.buy(SimulatedShop.theme).signedTransaction)
    let bobs = try await shop.verified(try await shop.buy(SimulatedShop.coins, by: SimulatedShop.bob).signedTransaction)
    #expect(alices.appTransactionId == again.appTransactionId && alices.appTransactionId != bobs.appTransactionId)
    #expect(alices.appTransactionId?.utf8.count == 18)
    let signed = try await shop.store.purchases.appTransaction(of: SimulatedShop.alice, for: SimulatedShop.device)
    let verdict = try shop.verifier().verifyAppTransaction(
      signed, expecting: SimulatedShop.expectations, at: shop.time.now)
    let app = try #require(verdict.verified?.payload)
    #expect(app.appTransactionId == alices.appTransactionId && app.receiptType == .known(.production))
    #expect(app.appAppleId == SimulatedShop.app.appAppleId && app.deviceVerification != nil)
    #expect(app.originalPurchaseDate == Timestamp(seconds: SimulatedShop.noon.seconds))
  }

  @Test func `proves its device to a server that knows the device's id, and only if a device asked (AS-SIGN-3)`()
    async throws
  {
    let shop = try await SimulatedShop()
    let bought = try await shop.buy(SimulatedShop.coins)
    let payload = try await shop.verified(bought.signedTransaction)
    let judge = { (payload: JWSTransactionDecodedPayload, id: String?) in
      AppStoreEvidence.deviceVerification(of: payload, deviceVerificationId: id)
    }
    #expect(judge(payload, SimulatedShop.device.text) == .fits)
    #expect(judge(payload, SimulatedShop.device.text.uppercased()) == .fits)
    #expect(judge(payload, SimulatedShop.token.text) == .differs)
    #expect(judge(payload, nil) == .missing)
    let servers = try await shop.verified(
      try await shop.store.signedTransaction(bought.transaction.id).signedTransaction)
    #expect(judge(servers, SimulatedShop.device.text) == .notDeviceEvidence)
    let unfinished = try await shop.store.unfinishedTransactions(of: SimulatedShop.alice, for: SimulatedShop.device)
    let again = try await shop.verified(try #require(unfinished.first).signedTransaction)
    #expect(judge(again, SimulatedShop.device.text) == .fits)
    #expect(again.deviceVerificationNonce != payload.deviceVerificationNonce)
  }
}
