import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import PaymentDatabase
import PaymentModel

/// Checks what the vaults of the phones still hold at the end.
struct VaultCheck: WorldCheck {
  let records: WorldRecords

  func run() async throws {
    for phone in records.phones { try await check(phone) }
  }

  private func check(_ phone: WorldPhone) async throws {
    guard !phone.plan.isLost else { return }
    let contents = try await phone.handset.vaultContents()
    for name in contents.unreadable { events.reportViolation("\(phone.name) cannot read \(name) in its vault") }
    for item in contents.items {
      switch item {
      case .order(let record):
        let order = try await order(record)
        guard try await !isExplained(record, order, phone: phone) else { continue }
        let standing = record.phase.map { "\($0)" } ?? "requested"
        let state = order.map { "\($0.state)" } ?? "unknown"
        events.reportViolation(
          "\(phone.name) still holds a record of \(record.user)'s order, \(standing); it is \(state)")
      case .transaction(let record):
        let payment = try await records.payment(for: record.key.id)
        if let payment, payment.state == .unclaimed || isUntold(payment, on: phone) { continue }
        events.reportViolation("\(phone.name) still holds the transaction \(record.key.id)")
      case .earlier(let kept):
        events.reportViolation("\(phone.name) holds \(kept.record.reference), which no app handed in")
      case .cleared, .entitlements: continue
      }
    }
  }

  private func order(_ record: OrderRecord) async throws -> Order? {
    guard let id = record.order?.id else { return nil }
    return try await database.read { try $0.order(OrderKey(appEnvironment: context.appEnvironment, id: id)) }
  }

  /// Whether a remaining record is allowed (docs/specification/states.md, “The client's record”). It may stay while
  /// its order can be paid, and while the phone's queue holds something that may be the order's payment.
  private func isExplained(_ record: OrderRecord, _ order: Order?, phone: WorldPhone) async throws -> Bool {
    if let product = record.order?.storeProduct, phone.handset.waits(for: product) { return true }
    if let order, records.isBeingRefunded(order.key.id) { return true }
    // An erasure closes orders after the last visit of each phone.
    if let order, case .closed(.closedByBackend, _) = order.state, context.merges.isErased(record.user) { return true }
    if let order, case .closed = order.state {
      if wasKept(record, phone: phone) { return true }
      if try await holdsUntold(record, phone: phone) { return true }
    }
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
    return sold(product, to: phone).contains { phone.lastFinished[$0.id].map { $0 > signedIn } == true }
  }

  /// Whether the queue still holds a transaction that might pay the order, and about which the phone learns nothing.
  private func holdsUntold(_ record: OrderRecord, phone: WorldPhone) async throws -> Bool {
    guard let product = record.order?.storeProduct else { return false }
    for transaction in sold(product, to: phone) where phone.finished[transaction.id] == nil {
      if let payment = try await records.payment(for: transaction.id), isUntold(payment, on: phone) { return true }
    }
    return false
  }

  private func sold(_ product: StoreProductIdentifier, to phone: WorldPhone) -> [SimulatedTransaction] {
    records.transactions.filter { $0.product == product && $0.owner.account.text == phone.plan.account }
  }

  /// Whether the server decided a payment and tells the users of this phone nothing about it.
  private func isUntold(_ payment: Payment, on phone: WorldPhone) -> Bool {
    // Unreadable evidence: the phone has never received the genuine evidence.
    if phone.handset.spoiled.contains(payment.key.transaction) { return true }
    // Neither a receipt nor a bare number reveals a payment of another user. StoreKit 1 has nothing but the number of
    // what another phone of the customer finished.
    let hasBareNumber =
      phone.plan.isStoreKit1 && records.phones.contains { $0.finished[payment.key.transaction] != nil }
    guard phone.plan.sendsReceipts || hasBareNumber, let owner = payment.owner else { return false }
    return !phone.users.contains(owner)
  }
}
