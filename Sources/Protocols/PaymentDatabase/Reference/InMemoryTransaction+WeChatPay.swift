import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  // MARK: questions

  func weChatPayOrder(_ key: OrderKey) throws -> WeChatPayOrder? {
    try proceed()
    return rows.weChatPayOrders[key]
  }

  func weChatPayOrdersToAsk(at now: Timestamp, limit: Int) throws -> [WeChatPayOrder] {
    try proceed()
    return rows.weChatPayQuestions.all.prefix { $0.at <= now }.limited(to: limit)
      .compactMap { rows.weChatPayOrders[$0.key] }
  }

  func refund(_ number: String, in appEnvironment: AppEnvironment) throws -> Refund? {
    try proceed()
    return rows.refunds[place(number, appEnvironment)]
  }

  func refunds(of payment: PaymentKey) throws -> [Refund] {
    try proceed()
    return (rows.refundsByPayment[payment] ?? []).compactMap { rows.refunds[$0] }
      .sorted(by: isBefore)
      .limited(to: DatabaseLimits.refundsPerPayment)
  }

  func refundsToAsk(at now: Timestamp, limit: Int) throws -> [Refund] {
    try proceed()
    return rows.refundQuestions.all.prefix { $0.at <= now }.limited(to: limit)
      .compactMap { rows.refunds[place($0.key.text.text, $0.key.appEnvironment)] }
  }

  func nextStoreQuestion() throws -> Timestamp? {
    try proceed()
    return [rows.weChatPayQuestions.all.first?.at, rows.refundQuestions.all.first?.at].compactMap(\.self).min()
  }

  func charges(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, transaction: TransactionIdentifier)?,
    in appEnvironment: AppEnvironment,
    limit: Int
  ) throws -> [Payment] {
    try proceed()
    // Starts at the first position of that moment, or after the last row of the page before.
    let first = ChargePlace(
      appEnvironment: appEnvironment, date: max(range.lowerBound, last?.date ?? range.lowerBound), transaction: "",
      store: .appStore)
    let places = rows.charges
    return places.all[places.count(before: first)...].lazy
      .prefix { $0.appEnvironment == appEnvironment && $0.date < range.upperBound }
      .filter { place in last.map { (place.date, place.transaction) > ($0.date, $0.transaction) } ?? true }
      .limited(to: limit)
      .compactMap { place in
        rows.payments[
          PaymentKey(
            app: appEnvironment.app, store: place.store, environment: appEnvironment.environment,
            transaction: place.transaction)]
      }
  }

  func refunds(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, number: String)?, in appEnvironment: AppEnvironment,
    limit: Int
  ) throws -> [Refund] {
    try proceed()
    let first = RefundPlace(
      appEnvironment: appEnvironment, createdAt: max(range.lowerBound, last?.date ?? range.lowerBound), number: "")
    let places = rows.refundPlaces
    return places.all[places.count(before: first)...].lazy
      .prefix { $0.appEnvironment == appEnvironment && $0.createdAt < range.upperBound }
      .filter { place in last.map { (place.createdAt, place.number) > ($0.date, ExactText($0.number)) } ?? true }
      .limited(to: limit)
      .compactMap { rows.refunds[self.place($0.number.text, appEnvironment)] }
  }

  func reconciliation(of day: String, at store: Store, in appEnvironment: AppEnvironment) throws
    -> ReconciliationRecord?
  {
    try proceed()
    return rows.reconciliations[.init(appEnvironment: appEnvironment, store: store, day: ExactText(day))]
  }

  private func place(_ number: String, _ appEnvironment: AppEnvironment) -> ScopedText {
    ScopedText(appEnvironment: appEnvironment, scope: "", text: ExactText(number))
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
    move(\.weChatPayQuestions, from: nil, to: question(about: order))
    set(\.weChatPayOrders, order.order, value: order)
  }

  func update(_ order: WeChatPayOrder) throws {
    try proceed()
    guard let before = rows.weChatPayOrders[order.order], before.promisesTheSame(as: order) else {
      throw fail(.inconsistent, "An order at WeChat Pay is missing or promised something else.")
    }
    move(\.weChatPayQuestions, from: question(about: before), to: question(about: order))
    set(\.weChatPayOrders, order.order, value: order)
  }

  private func question(about order: WeChatPayOrder) -> Moment<OrderKey>? {
    order.nextQuestionAt.map { Moment(at: $0, key: order.order) }
  }

  private func question(about refund: Refund) -> Moment<PlaceInEnvironment>? {
    refund.nextQuestionAt.map {
      Moment(at: $0, key: PlaceInEnvironment(appEnvironment: refund.appEnvironment, text: ExactText(refund.number)))
    }
  }

  func insert(_ refund: Refund) throws {
    try proceed()
    try require(refund.amount.minorUnits >= 1, "A refund is of nothing.")
    let place = place(refund.number, refund.appEnvironment)
    guard rows.refunds[place] == nil else { throw conflict(on: "refund") }
    try requirePayment(refund.payment, for: "refund")
    append(\.refundsByPayment, refund.payment, element: place)
    move(
      \.refundPlaces, from: nil,
      to: RefundPlace(
        appEnvironment: refund.appEnvironment, createdAt: refund.createdAt, number: ExactText(refund.number)))
    move(\.refundQuestions, from: nil, to: question(about: refund))
    set(\.refunds, place, value: refund)
  }

  func update(_ refund: Refund) throws {
    try proceed()
    let place = place(refund.number, refund.appEnvironment)
    guard let before = rows.refunds[place], before.promisesTheSame(as: refund) else {
      throw fail(.inconsistent, "A refund to be updated is missing or is another.")
    }
    move(\.refundQuestions, from: question(about: before), to: question(about: refund))
    set(\.refunds, place, value: refund)
  }

  func put(_ record: ReconciliationRecord) throws {
    try proceed()
    set(
      \.reconciliations, .init(appEnvironment: record.appEnvironment, store: record.store, day: ExactText(record.day)),
      value: record)
  }
}
