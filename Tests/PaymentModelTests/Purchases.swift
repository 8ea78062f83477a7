import PaymentModel
import PaymentPrimitives

/// Named values for the tests of the model: one shop, its products, its users.
enum Purchases {
  static let appEnvironment = AppEnvironment(app: "shop", environment: .simulated)
  /// 2026-03-01T12:00:00Z
  static let noon = Timestamp(milliseconds: 1_772_366_400_000)

  static let coins = Product(
    id: "coins.100", kind: .consumable, grant: .units("coin", perPiece: 100),
    appStoreProducts: ["com.example.coins100"])
  static let chest = Product(
    id: "coins.1000", kind: .consumable, grant: .units("coin", perPiece: 1000),
    appStoreProducts: ["com.example.coins1000"])
  static let premium = Product(
    id: "premium", kind: .nonConsumable, grant: .entitlement("premium", period: nil),
    appStoreProducts: ["com.example.premium"])
  static let monthly = Product(
    id: "monthly", kind: .autoRenewable, grant: .entitlement("club", period: nil),
    appStoreProducts: ["com.example.monthly"])
  static let season = Product(
    id: "season", kind: .nonRenewing, grant: .entitlement("season", period: .days(90)),
    appStoreProducts: ["com.example.season"])

  static func identifier(_ number: UInt64) -> OrderIdentifier {
    OrderIdentifier(high: 0x0195_0000_0000_7000, low: 1 << 63 | number)
  }

  static func order(
    _ number: UInt64, of user: UserIdentifier = "alice", for product: Product = coins,
    quantity: Int = 1, at moment: Timestamp = noon
  ) -> Order {
    Order(
      key: OrderKey(appEnvironment: appEnvironment, id: identifier(number)), user: user, product: product,
      quantity: quantity, store: .appStore, createdAt: moment, expiresAt: moment + .days(7))
  }

  static func payment(
    _ transaction: TransactionIdentifier, for product: Product = coins, token: UInt64? = nil,
    quantity: Int = 1, at moment: Timestamp = noon + .minutes(1)
  ) -> VerifiedPayment {
    var payment = VerifiedPayment(
      key: PaymentKey(
        app: appEnvironment.app, store: .appStore, environment: appEnvironment.environment, transaction: transaction),
      originalTransaction: transaction, storeProduct: product.appStoreProducts[0],
      kind: product.kind, quantity: quantity, purchaseDate: moment, signedDate: moment)
    payment.token = token.map(identifier)
    if product.kind == .autoRenewable { payment.expiresDate = moment + .days(30) }
    return payment
  }

  static func question(_ payment: VerifiedPayment, of product: Product = coins) -> MatchQuestion {
    MatchQuestion(payment: payment, product: product)
  }

  static func presentation(
    by user: UserIdentifier = "alice", _ proof: Presentation.DeviceProof = .fits
  ) -> Presentation {
    Presentation(user: user, proof: proof, policy: ClaimPolicy())
  }
}
