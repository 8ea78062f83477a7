import CounterfoilAPI
import PaymentModel
import PaymentPrimitives

/// An event of each type, as it is sent. A test compares the members with those of events that are sent.
enum ExamplesOfEvents {
  private static let appEnvironment = AppEnvironment(app: "demo", environment: .production)
  /// 2026-03-01T09:30:00Z
  private static let moment = Timestamp(seconds: 1_772_357_400)
  private static let month = TimeSpan.days(31)
  private static let order = OrderIdentifier(ExamplesOfPurchases.order)

  static func body(_ type: EventType) -> EventBody {
    var body = EventBody(
      type, id: "event_k3v5xq7m2n4tjw6c1ydz0bhg8ersp9fa", in: appEnvironment, at: moment + .seconds(2))
    body.user = "alice"
    switch type {
    case .purchaseCompleted, .paymentClaimed: note(coins, &body)
    case .paymentHeld, .paymentUnclaimed:
      body.user = nil
      body.payment = coins
      if type == .paymentHeld {
        body.payment?.storeProduct = "com.example.demo.coins250"
        body.reason = HoldReason.productUnknown.rawValue
      } else {
        body.product = "coins.100"
      }
    case .subscriptionPurchased, .subscriptionRenewed, .offerRedeemed, .periodChanged: note(period(type), &body)
    case .purchaseRefunded, .purchaseRefundUndone:
      note(coins, &body)
      body.refund = EventBody.Refund(at: moment, percentage: type == .purchaseRefunded ? 100_000 : 0)
    case .refundAsked, .refundDeclined:
      note(coins, &body)
      body.refund = EventBody.Refund(at: moment)
      if type == .refundAsked { body.reason = "UNINTENDED_PURCHASE" }
    case .renewalTurnedOn, .renewalTurnedOff, .planChanged, .gracePeriodBegan, .billingRetryBegan, .billingRecovered,
      .subscriptionExpired, .priceIncreaseAsked, .priceIncreaseAccepted:
      body.product = "premium.month"
      body.payment = period(type)
      body.nextRenewal = renewal(type)
    case .orderClosed:
      body.product = "coins.100"
      body.order = order
      body.reference = "M-95733323"
      body.reason = CloseReason.expired.rawValue
    case .balanceCredited:
      body.units = EventBody.Units(unit: "coin", amount: 10, balance: 110, booking: "day-2026-03-01")
      body.reason = "daily reward"
    case .promotionalEntitlementGiven, .promotionalEntitlementRevoked:
      body.promotional = EventBody.Promotional(id: "ticket-4711", entitlement: "premium", until: moment + month)
      body.reason = type == .promotionalEntitlementGiven ? "three days without service" : "given to the wrong user"
    case .userMerged: body.mergedUser = "guest-4711"
    case .userErased: body.user = "erased_5f0c6c2e9a7b41d3"
    case .balanceDebited:
      body.units = EventBody.Units(unit: "coin", amount: 30, balance: 70, booking: "game-4711")
      body.reason = "a sword"
    }
    return body
  }

  private static func note(_ payment: VerifiedPayment, _ body: inout EventBody) {
    body.payment = payment
    body.product = payment.kind == .consumable ? "coins.100" : "premium.month"
    guard payment.kind == .consumable else { return }
    body.order = order
    body.reference = "M-95733323"
  }

  private static var coins: VerifiedPayment {
    var payment = payment("com.example.demo.coins100", .consumable)
    payment.price = StatedPrice(milliunits: 6000, currency: "CNY")
    return payment
  }

  private static func period(_ type: EventType) -> VerifiedPayment {
    var payment = payment("com.example.demo.premium.month", .autoRenewable)
    payment.price = StatedPrice(milliunits: 18_000, currency: "CNY")
    payment.expiresDate = moment + month
    payment.isRenewal = type == .subscriptionRenewed
    if type == .offerRedeemed {
      payment.offer = StatedOffer(
        type: "promotional", id: "winter", discountType: "PAY_AS_YOU_GO", period: "P1M")
    }
    return payment
  }

  private static func payment(_ storeProduct: StoreProductIdentifier, _ kind: ProductKind) -> VerifiedPayment {
    let key = PaymentKey(app: "demo", store: .appStore, environment: .production, transaction: "2000000123456789")
    var payment = VerifiedPayment(
      key: key, originalTransaction: key.transaction, storeProduct: storeProduct, kind: kind, quantity: 1,
      purchaseDate: moment, signedDate: moment + .seconds(1))
    payment.storefront = "CHN"
    return payment
  }

  private static func renewal(_ type: EventType) -> VerifiedRenewal {
    let original = PaymentKey(app: "demo", store: .appStore, environment: .production, transaction: "2000000123456789")
    let ends = [.renewalTurnedOff, .subscriptionExpired].contains(type)
    var renewal = VerifiedRenewal(subscription: original, signedDate: moment + month, willRenew: !ends)
    renewal.renewsTo = type == .planChanged ? "com.example.demo.premium.year" : "com.example.demo.premium.month"
    renewal.renewalDate = moment + month
    renewal.isInBillingRetry = [.gracePeriodBegan, .billingRetryBegan].contains(type)
    if type == .gracePeriodBegan { renewal.gracePeriodExpiresDate = moment + month + .days(16) }
    if type == .subscriptionExpired { renewal.expiration = .cancelled }
    if type == .priceIncreaseAsked { renewal.priceIncrease = .pending }
    if type == .priceIncreaseAccepted { renewal.priceIncrease = .accepted }
    renewal.renewalPrice = StatedPrice(milliunits: 18_000, currency: "CNY")
    return renewal
  }
}
