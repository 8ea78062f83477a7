import PaymentModel
import PaymentPrimitives

// What an operator searches for. Searches are rare, so these walk all rows instead of keeping an index.
extension InMemoryTransaction {
  func orders(referenceFromApp text: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Order] {
    try proceed()
    return rows.orders.values
      .filter {
        $0.key.appEnvironment == appEnvironment && $0.reference?.origin == .app
          && $0.reference?.text.utf8.elementsEqual(text.utf8) == true
      }
      .sorted { $0.position > $1.position }
      .limited(to: limit)
  }

  func orderIdentifiers(
    madeIn range: ClosedRange<Timestamp>, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [OrderIdentifier] {
    try proceed()
    return rows.orders.values
      .filter { $0.key.appEnvironment == appEnvironment && range.contains($0.createdAt) }
      .sorted { $0.position > $1.position }
      .limited(to: limit)
      .map(\.key.id)
  }

  func payments(ofLineItem item: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Payment] {
    try proceed()
    return rows.payments.values
      .filter {
        $0.key.appEnvironment == appEnvironment && $0.facts.webOrderLineItem?.utf8.elementsEqual(item.utf8) == true
      }
      .sorted {
        ($0.facts.purchaseDate, $0.key.transaction, $0.key.store)
          < ($1.facts.purchaseDate, $1.key.transaction, $1.key.store)
      }
      .limited(to: limit)
  }

  func payments(
    withUnmatchedToken token: OrderIdentifier, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment] {
    try proceed()
    return rows.payments.values
      .filter {
        $0.key.appEnvironment == appEnvironment && $0.order == nil && $0.facts.token == token && $0.state != .fulfilled
      }
      .sorted { ($0.firstSeenAt, $0.key) < ($1.firstSeenAt, $1.key) }
      .limited(to: limit)
  }

  func payments(grantedTo user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int) throws -> [Payment] {
    try proceed()
    return rows.grants.values
      .filter { $0.payment.appEnvironment == appEnvironment && $0.user == user }
      .sorted { ($0.grantedAt, $0.payment) > ($1.grantedAt, $1.payment) }
      .limited(to: limit)
      .compactMap { rows.payments[$0.payment] }
  }

  func refunds(storeNumber text: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Refund] {
    try proceed()
    return rows.refunds.values
      .filter {
        $0.appEnvironment == appEnvironment && $0.storeNumber?.utf8.elementsEqual(text.utf8) == true
      }
      .sorted { InMemoryRows.ExactText($0.number) < InMemoryRows.ExactText($1.number) }
      .limited(to: limit)
  }
}
