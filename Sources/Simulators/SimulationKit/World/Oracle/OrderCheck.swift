import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Checks the orders, and what the phones say of them.
struct OrderCheck: WorldCheck {
  let records: WorldRecords

  func run() async throws {
    let orders = try await database.read { try $0.orders(after: nil, limit: 10_000) }
    for order in orders {
      if case .awaitingPayment = order.state, order.expiresAt < context.world.now - .hours(12),
        !records.isBeingRefunded(order.key.id)
      {
        events.reportViolation("the order \(order.key.id) is open long past its end")
      }
      if let reason = order.frozenBecause { events.reportViolation("the order \(order.key.id) is frozen: \(reason)") }
    }
    let byId = Dictionary(orders.filter { $0.key.appEnvironment == context.appEnvironment }.map { ($0.key.id, $0) }) {
      first, _ in first
    }
    for claim in records.phones.flatMap(\.claims) {
      let policy = context.plan.aftermath.restore
      let key = OrderKey(appEnvironment: context.appEnvironment, id: claim.order)
      let isGranted = try await database.read { try $0.grants(key, isRecovered: claim.isRecovered, under: policy) }
      // A restored entitlement may have moved on to another user.
      let hasMoved = policy == .transfer && byId[claim.order]?.product.grant.isRight == true
      guard isGranted || hasMoved, byId[claim.order]?.user == claim.user else {
        events.reportViolation("an app told \(claim.user) that the order \(claim.order) is granted, and it is not")
        continue
      }
    }
    for sheet in records.phones.flatMap(\.sheets) {
      guard let order = byId[sheet.token] else {
        events.reportViolation("the sheet for \(sheet.token) was opened without an order")
        continue
      }
      if !sheet.users.contains(order.user) {
        events.reportViolation(
          "\(sheet.token) is an order of \(order.user), asked for by \(sheet.users.map(\.text).sorted())")
      }
    }
  }
}

extension DatabaseReader {
  /// Whether the ordered product is granted.
  ///
  /// A further period of a subscription has an order only after its token was seen (docs/specification/matching.md,
  /// rule 0); otherwise the period itself fulfils the order. If entitlements move or are shared, a user may already
  /// have the product through the Apple account. Then their order stays unpaid.
  /// - Parameter isRecovered: whether the app said that the user has the product by an earlier purchase.
  func grants(_ key: OrderKey, isRecovered: Bool, under policy: RestorePolicy) throws -> Bool {
    guard let order = try order(key) else { return false }
    if case .paid = order.state { return true }
    guard order.product.grant.isRight else { return false }
    let isOrdered = { (payment: Payment) in order.product.appStoreProducts.contains(payment.facts.storeProduct) }
    if policy != .keepOwner {
      let shared = try sharedEntitlements(of: order.user, in: key.appEnvironment).flatMap {
        try payments(ofOriginal: $0)
      }
      let own = try entitlementSources(of: order.user, in: key.appEnvironment).map(\.storeProduct)
      let isHis = shared.contains(where: isOrdered) || own.contains(where: order.product.appStoreProducts.contains)
      if isHis { return true }
    }
    guard order.product.kind == .autoRenewable else { return false }
    return try payments(after: nil, limit: 10_000).contains { payment in
      payment.key.appEnvironment == key.appEnvironment && payment.owner == order.user && payment.state.wasGranted
        && isOrdered(payment)
        // The tap comes before the order is made, which takes a while on a bad network.
        && (payment.facts.purchaseDate >= order.createdAt - .minutes(1)
          || isRecovered && payment.facts.expiresDate.map { $0 > order.createdAt } == true)
    }
  }
}

extension GrantRule {
  /// Whether it gives an entitlement, not units.
  var isRight: Bool {
    if case .entitlement = self { true } else { false }
  }
}
