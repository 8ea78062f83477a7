import PaymentModel
import PaymentPrimitives

let production = AppEnvironment(app: "game", environment: .production)
let sandbox = AppEnvironment(app: "game", environment: .sandbox)
let otherApp = AppEnvironment(app: "other", environment: .production)

/// A time in milliseconds after the epoch: tests that sort need small numbers, not dates.
func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

func orderKey(_ number: UInt64, _ appEnvironment: AppEnvironment = production) -> OrderKey {
  OrderKey(appEnvironment: appEnvironment, id: OrderIdentifier(high: 0, low: number))
}

func paymentKey(
  _ transaction: String, _ appEnvironment: AppEnvironment = production, store: Store = .appStore
) -> PaymentKey {
  PaymentKey(
    app: appEnvironment.app, store: store, environment: appEnvironment.environment,
    transaction: TransactionIdentifier(transaction))
}

/// An order of alice for one piece of coins, changed by the closure.
func sampleOrder(
  _ number: UInt64, _ appEnvironment: AppEnvironment = production, user: UserIdentifier = "alice",
  product: ProductIdentifier = "coins", store: Store = .appStore, createdAt: Timestamp = at(0),
  expiresAt: Timestamp = at(1000), _ change: (inout Order) -> Void = { _ in }
) -> Order {
  var order = Order(
    key: orderKey(number, appEnvironment), user: user,
    product: Product(id: product, kind: .consumable, grant: .units("coin", perPiece: 100)),
    quantity: 1, store: store, createdAt: createdAt, expiresAt: expiresAt)
  change(&order)
  return order
}

/// A payment for one piece of coins, changed by the closure.
func samplePayment(
  _ key: PaymentKey, firstSeenAt: Timestamp = at(0), _ change: (inout Payment) -> Void = { _ in }
) -> Payment {
  var payment = Payment(
    facts: VerifiedPayment(
      key: key, originalTransaction: key.transaction, storeProduct: "com.example.coins",
      kind: .consumable, quantity: 1, purchaseDate: at(0), signedDate: at(0)),
    firstSeenAt: firstSeenAt)
  change(&payment)
  return payment
}

func samplePayment(_ transaction: String, _ change: (inout Payment) -> Void = { _ in }) -> Payment {
  samplePayment(paymentKey(transaction), change)
}

func sampleGrant(_ payment: PaymentKey, coins: Int64 = 100) -> Grant {
  sampleGrant(payment, .units("coin", amount: coins))
}

/// A grant of that payment, promised as one piece of it.
func sampleGrant(
  _ payment: PaymentKey, _ content: GrantContent, to user: UserIdentifier = "alice", at moment: Timestamp = at(0)
) -> Grant {
  let promise: GrantPromise
  switch content {
  case .units(let unit, let amount):
    promise = GrantPromise(product: "coins", kind: .consumable, rule: .units(unit, perPiece: amount))
  case .entitlement(let name, _, _):
    promise = GrantPromise(product: "right", kind: .autoRenewable, rule: .entitlement(name, period: nil))
  }
  return Grant(payment: payment, user: user, content: content, promise: promise, grantedAt: moment)
}

/// A movement of coins from the store to a user.
func samplePosting(
  _ payment: PaymentKey, _ cause: String = "grant", amount: Int64 = 100,
  to user: UserIdentifier = "alice", unit: UnitName = "coin"
) -> Posting {
  Posting(
    appEnvironment: payment.appEnvironment, unit: unit, debit: .issued(payment.store), credit: .user(user),
    amount: amount, payment: payment, cause: cause, at: at(0))
}

func sampleDelivery(
  _ id: DeliveryIdentifier, of payment: PaymentKey, sequence: Int = 1, order: OrderIdentifier? = nil,
  createdAt: Timestamp = at(0), _ change: (inout Delivery) -> Void = { _ in }
) -> Delivery {
  var delivery = Delivery(
    id: id, payment: payment, order: order, kind: .created, sequence: sequence, body: "{}",
    createdAt: createdAt)
  change(&delivery)
  return delivery
}
