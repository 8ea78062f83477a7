import PaymentModel
import PaymentVocabulary

extension ReferenceTransaction {
  // MARK: questions

  func weChatPayOrder(_ key: OrderKey) throws -> WeChatPayOrder? {
    try proceed()
    return rows.weChatPayOrders[key]
  }

  func weChatPayOrdersToAsk(at now: Timestamp, limit: Int) throws -> [WeChatPayOrder] {
    try proceed()
    return rows.weChatPayQuestions
      .filter { $0.value <= now }
      .sorted { ($0.value, $0.key) < ($1.value, $1.key) }
      .limited(to: limit)
      .compactMap { rows.weChatPayOrders[$0.key] }
  }

  func refund(_ number: String, in realm: Realm) throws -> Refund? {
    try proceed()
    return rows.refunds[place(number, realm)]
  }

  func refunds(of payment: PaymentKey) throws -> [Refund] {
    try proceed()
    return rows.refunds.values
      .filter { $0.payment == payment }
      .sorted(by: isBefore)
      .limited(to: StoreLimit.refundsPerPayment)
  }

  func refundsToAsk(at now: Timestamp, limit: Int) throws -> [Refund] {
    try proceed()
    return rows.refunds.values
      .filter { $0.nextQuestionAt.map { $0 <= now } ?? false }
      .sorted { a, b in
        let (first, second) = (a.nextQuestionAt ?? now, b.nextQuestionAt ?? now)
        return (first, a.realm) == (second, b.realm)
          ? precedes(a.number, b.number) : (first, a.realm) < (second, b.realm)
      }
      .limited(to: limit)
  }

  func nextStoreQuestion() throws -> Timestamp? {
    try proceed()
    let refunds = rows.refunds.values.lazy.compactMap(\.nextQuestionAt).min()
    return [rows.weChatPayQuestions.values.min(), refunds].compactMap(\.self).min()
  }

  func charges(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, transaction: TransactionIdentifier)?, in realm: Realm,
    limit: Int
  ) throws -> [Payment] {
    try proceed()
    return rows.payments.values
      .filter { payment in
        payment.key.realm == realm && payment.facts.merchant != nil && range.contains(payment.facts.purchaseDate)
          && (last.map { (payment.facts.purchaseDate, payment.key.transaction) > ($0.date, $0.transaction) } ?? true)
      }
      .sorted {
        ($0.facts.purchaseDate, $0.key.transaction, $0.key.store)
          < ($1.facts.purchaseDate, $1.key.transaction, $1.key.store)
      }
      .limited(to: limit)
  }

  func refunds(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, number: String)?, in realm: Realm, limit: Int
  ) throws -> [Refund] {
    try proceed()
    return rows.refunds.values
      .filter { refund in
        guard refund.realm == realm, range.contains(refund.createdAt) else { return false }
        guard let last else { return true }
        return refund.createdAt == last.date ? precedes(last.number, refund.number) : last.date < refund.createdAt
      }
      .sorted(by: isBefore)
      .limited(to: limit)
  }

  func reconciliation(of day: String, at store: Store, in realm: Realm) throws -> ReconciliationRecord? {
    try proceed()
    return rows.reconciliations[.init(realm: realm, store: store, day: ExactText(day))]
  }

  private func place(_ number: String, _ realm: Realm) -> ScopedText {
    ScopedText(realm: realm, scope: "", text: ExactText(number))
  }

  private func isBefore(_ a: Refund, _ b: Refund) -> Bool {
    a.createdAt == b.createdAt ? precedes(a.number, b.number) : a.createdAt < b.createdAt
  }

  // MARK: writes

  func insert(_ order: WeChatPayOrder) throws {
    try proceed()
    try require(order.amount.minorUnits >= 1, "An order costs nothing.")
    guard rows.weChatPayOrders[order.order] == nil else { throw conflict(on: "order at WeChat Pay") }
    try require(rows.orders[order.order] != nil, "An order at WeChat Pay names an order that is not there.")
    setQuestion(about: order)
    set(\.weChatPayOrders, order.order, order)
  }

  func update(_ order: WeChatPayOrder) throws {
    try proceed()
    guard let before = rows.weChatPayOrders[order.order], before.promisesTheSame(as: order) else {
      throw refusal(.inconsistent, "An order at WeChat Pay is missing or promised something else.")
    }
    setQuestion(about: order)
    set(\.weChatPayOrders, order.order, order)
  }

  private func setQuestion(about order: WeChatPayOrder) {
    guard rows.weChatPayQuestions[order.order] != order.nextQuestionAt else { return }
    if let moment = order.nextQuestionAt {
      set(\.weChatPayQuestions, order.order, moment)
    } else {
      remove(\.weChatPayQuestions, order.order)
    }
  }

  func insert(_ refund: Refund) throws {
    try proceed()
    try require(refund.amount.minorUnits >= 1, "A refund is of nothing.")
    let place = place(refund.number, refund.realm)
    guard rows.refunds[place] == nil else { throw conflict(on: "refund") }
    try requirePayment(refund.payment, for: "refund")
    set(\.refunds, place, refund)
  }

  func update(_ refund: Refund) throws {
    try proceed()
    let place = place(refund.number, refund.realm)
    guard let before = rows.refunds[place], before.promisesTheSame(as: refund) else {
      throw refusal(.inconsistent, "A refund to be updated is missing or is another.")
    }
    set(\.refunds, place, refund)
  }

  func put(_ record: ReconciliationRecord) throws {
    try proceed()
    set(\.reconciliations, .init(realm: record.realm, store: record.store, day: ExactText(record.day)), record)
  }
}
