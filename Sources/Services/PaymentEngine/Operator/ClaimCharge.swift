import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// A claim of a charge without a known order. It pays what the operator names only if amount, currency, merchant and
/// app match its price. No claim grants what rule 1 forbids.
struct ChargeClaim {
  private let claim: OperatorClaim
  private let purchase: ClaimedPurchase?

  init(_ claim: OperatorClaim, _ purchase: ClaimedPurchase?) {
    self.claim = claim
    self.purchase = purchase
  }

  private var payment: Payment { claim.payment }
  private var transaction: any DatabaseTransaction { claim.transaction }
  private var appEnvironment: AppEnvironment { payment.key.appEnvironment }

  func run() throws -> FulfilmentResult {
    guard claim.isOpen else { return try claim.answerRepeat() }
    try checkThatNoOrderIsKnown()
    guard let charge = VerifiedCharge(payment.facts) else {
      throw notClaimable("The charge states no price in CNY.")
    }
    guard try !transaction.isRefundUnderWay(payment) else {
      throw notClaimable("A refund of it is under way.")
    }
    switch purchase {
    case nil: throw notClaimable("Name an order of the user, or a product.")
    case .order(let name): return try pay(name, by: charge)
    case .product(let product, let quantity): return try pay(product, quantity, by: charge)
    }
  }

  /// Rejects a charge with a known order: it belongs to that order's user only, and is retried or released, not
  /// claimed.
  private func checkThatNoOrderIsKnown() throws {
    guard let token = payment.facts.token,
      let order = try transaction.order(OrderKey(appEnvironment: appEnvironment, id: token)), order.store.opensOrders
    else { return }
    throw notClaimable("Its order \(token) is known: retry or release it.")
  }

  // MARK: an order

  private func pay(_ name: OrderName, by charge: VerifiedCharge) throws -> FulfilmentResult {
    guard let order = try PaymentEngine.find(name, in: appEnvironment, of: claim.user, transaction),
      order.user == claim.user,
      order.store.opensOrders, let promised = try transaction.weChatPayOrder(order.key)
    else { throw notClaimable("The user has no such order at WeChat Pay.") }
    guard order.state.isUnpaid, order.frozenBecause == nil else {
      throw notClaimable("The order is paid already, or frozen.")
    }
    try check(charge, against: promised.expectedCharge)
    var input = input(charge.payment(of: order.product, order.quantity))
    input.order = order
    input.decision = .grant(to: claim.user, .order(order.key.id), rule: .operator, flags: [])
    let result = try claim.write(input, promised: promised)
    try PaymentEngine.receive(
      .paid(payment.key.transaction), for: order.key, of: claim.context.app, in: transaction)
    return result
  }

  // MARK: a product

  private func pay(
    _ id: ProductIdentifier, _ quantity: Int, by charge: VerifiedCharge
  ) throws -> FulfilmentResult {
    guard let product = claim.context.app.catalog[id], product.quantityAllowed.contains(quantity),
      let price = product.weChatPrice, let account = claim.context.app.chargeAccount
    else { throw notClaimable("That is not sold at WeChat Pay, or not in that quantity.") }
    let (amount, overflow) = price.minorUnits.multipliedReportingOverflow(by: Int64(quantity))
    let cashier = account.storeApps.sorted { $0.key < $1.key }.first { $0.value == charge.storeApp }
    guard !overflow, let cashier else { throw notClaimable("It differs in: storeApp.") }
    let key = OrderKey(appEnvironment: appEnvironment, id: claim.context.derivedOrder)
    // It was never opened at WeChat Pay under this number: there is nothing to send, and nothing to ask.
    var promised = WeChatPayOrder(
      order: key, merchant: account.merchant, storeApp: cashier.value, tradeType: cashier.key,
      amount: Money(minorUnits: amount, currency: price.currency), prepayBody: "{}", nextQuestionAt: transaction.now)
    _ = promised.receive(.paid(payment.key.transaction))
    try check(charge, against: promised.expectedCharge)
    var input = input(charge.payment(of: product, quantity))
    input.decision = .grant(to: claim.user, .derivedOrder(from: nil), rule: .operator, flags: [])
    let result = try claim.write(input, promised: promised)
    if result.payment.order == key.id { try transaction.insert(promised) }
    return result
  }

  private func input(_ facts: VerifiedPayment) -> FulfilmentInput {
    var payment = payment
    payment.facts = facts
    let context = claim.context
    return FulfilmentInput(payment: payment, derivedOrder: context.derivedOrder, now: transaction.now)
  }

  /// Compares everything except the order number, which the operator corrects.
  private func check(_ charge: VerifiedCharge, against expected: ExpectedCharge) throws {
    let differences = charge.differences(from: expected).filter { $0 != .order }
    guard differences.isEmpty else {
      throw notClaimable("It differs in: \(differences.map(\.rawValue).joined(separator: ", ")).")
    }
  }

  private func notClaimable(_ why: String) -> CodedError<EngineErrorCode> { CodedError(.paymentNotClaimable, why) }
}

extension VerifiedCharge {
  fileprivate func payment(of product: Product, _ quantity: Int) -> VerifiedPayment {
    payment(of: StoreProductIdentifier(product.id.text), kind: product.kind, quantity: quantity)
  }
}
