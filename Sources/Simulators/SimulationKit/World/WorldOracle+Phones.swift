import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

// What phones and the App Store's queue still hold at the end.

extension WorldOracle {
  func judgeVault(of phone: WorldPhone) async throws {
    guard !phone.plan.isLost else { return }
    let contents = try await phone.handset.vaultContents()
    for name in contents.unreadable { events.reportViolation("\(phone.name) cannot read \(name) in its vault") }
    for item in contents.items {
      switch item {
      case .order(let record):
        let order = try await order(record)
        guard !isExplained(record, order, phone: phone) else { continue }
        let standing = record.phase.map { "\($0)" } ?? "requested"
        let state = order.map { "\($0.state)" } ?? "unknown"
        events.reportViolation(
          "\(phone.name) still holds a record of \(record.user)'s order, \(standing); it is \(state)")
      case .transaction(let record):
        let payment = try await known(record.key.id)
        if let payment, payment.state == .unclaimed { continue }
        // Unreadable evidence of a payment that is decided: the phone has never received the genuine evidence.
        if payment != nil, phone.handset.spoiled.contains(record.key.id) { continue }
        // A receipt reveals no payment of another user: the server tells the users of this phone nothing about it.
        if phone.plan.sendsReceipts, let owner = payment?.owner, !phone.plan.users.contains(owner) { continue }
        events.reportViolation("\(phone.name) still holds the transaction \(record.key.id)")
      case .earlier(let kept):
        events.reportViolation("\(phone.name) holds \(kept.record.reference), which no app handed in")
      case .cleared: continue
      }
    }
  }

  private func order(_ record: OrderRecord) async throws -> Order? {
    guard let id = record.order?.id else { return nil }
    return try await database.read { try $0.order(OrderKey(appEnvironment: context.appEnvironment, id: id)) }
  }

  /// Whether a remaining record is allowed (docs/specification/states.md, “The client's record”). It may stay while
  /// its order can be paid, and while the phone's queue holds something that may be the order's payment.
  private func isExplained(_ record: OrderRecord, _ order: Order?, phone: WorldPhone) -> Bool {
    if let product = record.order?.storeProduct, phone.handset.waits(for: product) { return true }
    if let order, isOnItsWayBack(order.key.id) { return true }
    if let order, case .closed = order.state, wasKept(record, phone: phone) { return true }
    guard let order, order.expiresAt > context.world.now else { return false }
    switch order.state {
    case .awaitingPayment: return true
    // The order was only replaced by newer ones, and can be paid at any moment.
    case .closed(.replaced, _): return record.phase != .created
    case .paid, .closed: return false
    }
  }

  /// Whether the queue held a transaction that might pay the order when its user last signed in: the record of a closed
  /// order is deleted only when it holds none.
  private func wasKept(_ record: OrderRecord, phone: WorldPhone) -> Bool {
    guard let product = record.order?.storeProduct, let signedIn = phone.signedIn[record.user] else { return false }
    let sold = transactions.filter { $0.product == product && $0.owner.account.text == phone.plan.account }
    return sold.contains { transaction in phone.finished[transaction.id].map { $0 > signedIn } == true }
  }

  func judgeUnfinished() async throws {
    for transaction in transactions {
      guard !transaction.isFinished else {
        // Either a phone or the server may have finished it: only a transaction known here may be finished.
        if try await known(transaction.id) == nil {
          events.reportViolation("\(transaction.id) is finished, and unknown here")
        }
        continue
      }
      let account = transaction.owner.account.text
      guard phones.contains(where: { $0.plan.account == account && !$0.plan.isLost }) else { continue }
      let payment = try await known(transaction.id)
      if payment?.state == .unclaimed { continue }
      // A renewal that came after the last use of the account's phones.
      let lastOpen = phones.filter { $0.plan.account == account }.compactMap(\.closedAt).max()
      if transaction.reason == .renewal, let lastOpen, transaction.purchaseDate > lastOpen { continue }
      events.reportViolation("the transaction \(transaction.id) of \(account) was never finished")
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
