import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The row of an order in the table `orders`.
enum OrderRow {
  /// The columns to read, from `orders AS o` with the two payments that an order may name.
  static let columns = """
    o.app, o.environment, o.order_id, o.user_id, o.store, o.quantity,
    o.product, o.product_kind, o.gives, o.gives_name, o.gives_amount, o.app_store_products,
    o.wechat_price, o.wechat_currency, o.is_physical, o.debt,
    o.reference, o.reference_from, o.metadata, o.platform, o.scene, o.created_at,
    d.app, d.store, d.environment, d.transaction_id,
    o.derived_from, o.derived_reference, o.derived_reference_from, o.derived_flags,
    o.idempotency_caller, o.idempotency_key, o.request_digest,
    o.state, o.state_at, o.close_reason, p.app, p.store, p.environment, p.transaction_id,
    o.expires_at, o.approval_pending_since, o.verdict, o.verdict_reason, o.verdict_at, o.frozen_because
    """

  /// The tables to read from; a hint may name an index.
  static func source(_ index: String? = nil) -> SQLText {
    """
    orders AS o \(hint: index)
    LEFT JOIN payment_keys AS d ON d.id = o.derived_payment
    LEFT JOIN payment_keys AS p ON p.id = o.paid_by
    """
  }

  static let insert = SQL(
    """
    INSERT INTO orders (
      app, environment, order_id, user_id, store, quantity,
      product, product_kind, gives, gives_name, gives_amount, app_store_products,
      wechat_price, wechat_currency, is_physical, debt,
      reference, reference_from, metadata, platform, scene, created_at,
      derived_payment, derived_from, derived_reference, derived_reference_from, derived_flags,
      idempotency_caller, idempotency_key, request_digest,
      state, state_at, close_reason, paid_by,
      expires_at, approval_pending_since, verdict, verdict_reason, verdict_at, frozen_because)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
      ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)

  /// Changes the mutable columns; indexes without these columns stay unchanged.
  static let update = SQL(
    """
    UPDATE orders SET
      state = ?, state_at = ?, close_reason = ?, paid_by = ?,
      expires_at = ?, approval_pending_since = ?, verdict = ?, verdict_reason = ?, verdict_at = ?,
      frozen_because = ?
    WHERE app = ? AND environment = ? AND order_id = ?
    """)

  // MARK: Writing

  /// The promises from the creation of the order, in the order of `insert`.
  static func bindPromise(_ order: Order, derivedPayment: Int64?, _ row: inout Parameters) {
    row.add(order.key)
    row.add(order.user)
    row.add(order.store.rawValue)
    row.add(order.quantity)
    bind(order.product, &row)
    row.add(order.reference?.text)
    row.add(order.reference?.origin.rawValue)
    row.add(order.metadata)
    row.add(order.platform)
    row.add(order.scene)
    row.add(order.createdAt)
    row.add(derivedPayment)
    row.add(order.derivation?.from)
    row.add(order.derivation?.reference?.text)
    row.add(order.derivation?.reference?.origin.rawValue)
    row.add(order.derivation.map { TextList.encode($0.flags) })
    row.add(order.idempotency?.caller)
    row.add(order.idempotency?.key)
    row.add(order.idempotency?.requestDigest)
  }

  private static func bind(_ product: Product, _ row: inout Parameters) {
    row.add(product.id)
    row.add(product.kind.rawValue)
    switch product.grant {
    case .units(let unit, let perPiece):
      row.add("units")
      row.add(unit)
      row.add(perPiece)
    case .entitlement(let name, let period):
      row.add("entitlement")
      row.add(name)
      row.add(period?.milliseconds)
    }
    row.add(TextList.encode(product.appStoreProducts.map(\.text)))
    row.add(product.weChatPrice?.minorUnits)
    row.add(product.weChatPrice?.currency.code)
    row.add(product.isPhysical)
    row.add(product.debt.storedWord)
  }

  /// The mutable columns, in the order of `insert` and `update`.
  static func bindPresent(_ order: Order, paidBy: Int64?, _ row: inout Parameters) {
    switch order.state {
    case .awaitingPayment:
      row.add("awaitingPayment")
      row.addNull()
      row.addNull()
    case .paid(_, let moment):
      row.add("paid")
      row.add(moment)
      row.addNull()
    case .closed(let reason, let moment):
      row.add("closed")
      row.add(moment)
      row.add(reason.rawValue)
    }
    row.add(paidBy)
    row.add(order.expiresAt)
    row.add(order.approvalPendingSince)
    row.add(order.lastVerdict?.verdict.rawValue)
    row.add(order.lastVerdict?.reason)
    row.add(order.lastVerdict?.at)
    row.add(order.frozenBecause)
  }

  // MARK: Reading

  static func read(_ row: inout Columns) throws -> Order {
    let appEnvironment = try row.appEnvironment()
    let key = OrderKey(appEnvironment: appEnvironment, id: try row.orderIdentifier())
    let user: UserIdentifier = row.identifier()
    let store: Store = try row.rawValue()
    let quantity = row.int()
    let product = try product(&row)
    let reference = try reference(&row)
    let metadata = row.optionalText()
    let platform = row.optionalText()
    let scene = row.optionalText()
    let createdAt = row.timestamp()
    let derivation = try derivation(&row)
    let idempotency = idempotency(&row)
    let state = try state(&row)
    var promise = OrderPromise(
      key: key, user: user, product: product, quantity: quantity, store: store, createdAt: createdAt)
    promise.reference = reference
    promise.metadata = metadata
    promise.platform = platform
    promise.scene = scene
    promise.derivation = derivation
    promise.idempotency = idempotency
    var order = Order(promise, expiresAt: row.timestamp())
    order.state = state
    order.approvalPendingSince = row.optionalTimestamp()
    order.lastVerdict = lastVerdict(&row)
    order.frozenBecause = row.optionalText()
    return order
  }

  private static func product(_ row: inout Columns) throws -> Product {
    let id: ProductIdentifier = row.identifier()
    let kind: ProductKind = try row.rawValue()
    let givesUnits = row.text() == "units"
    let name = row.text()
    let amount = row.optionalInteger()
    let grant: GrantRule =
      givesUnits
      ? .units(UnitName(name), perPiece: amount ?? 0)
      : .entitlement(EntitlementName(name), period: amount.map { TimeSpan(milliseconds: $0) })
    let storeProducts = TextList.decode(row.optionalText()).map { StoreProductIdentifier($0) }
    let price = row.optionalInteger()
    let currency = row.optionalText()
    let money = try price.map {
      guard let code = currency.flatMap({ CurrencyCode($0) }) else { throw row.damage("a currency") }
      return Money(minorUnits: $0, currency: code)
    }
    let isPhysical = row.flag()
    return Product(
      id: id, kind: kind, grant: grant, appStoreProducts: storeProducts, weChatPrice: money, isPhysical: isPhysical,
      debt: try DebtPolicy(storedWord: row.optionalText(), row))
  }

  static func reference(_ row: inout Columns) throws -> Reference? {
    let text = row.optionalText()
    let origin = row.optionalText()
    guard let text else { return nil }
    guard let origin = origin.flatMap({ Reference.Origin(rawValue: $0) }) else {
      throw row.damage("a reference's origin")
    }
    return Reference(text, from: origin)
  }

  private static func derivation(_ row: inout Columns) throws -> Derivation? {
    let payment = try row.optionalPaymentKey()
    let from = try row.optionalOrderIdentifier()
    let reference = try reference(&row)
    let flags = row.optionalText()
    guard let payment else { return nil }
    return Derivation(
      payment: payment, from: from, reference: reference, flags: try TextList.decode(flags, row))
  }

  private static func idempotency(_ row: inout Columns) -> Idempotency? {
    let caller = row.optionalText()
    let key = row.optionalText()
    let digest = row.optionalText()
    guard let caller, let key, let digest else { return nil }
    return Idempotency(caller: caller, key: key, requestDigest: digest)
  }

  private static func state(_ row: inout Columns) throws -> OrderState {
    let name = row.text()
    let moment = row.optionalTimestamp()
    let reason = row.optionalText()
    let payment = try row.optionalPaymentKey()
    switch (name, moment, reason.flatMap { CloseReason(rawValue: $0) }, payment) {
    case ("awaitingPayment", nil, nil, nil): return .awaitingPayment
    case ("paid", let moment?, nil, let payment?): return .paid(by: payment, at: moment)
    case ("closed", let moment?, let reason?, nil): return .closed(reason, at: moment)
    default: throw row.damage("a state that fits its particulars")
    }
  }

  private static func lastVerdict(_ row: inout Columns) -> LastVerdict? {
    // A verdict that only a newer version knows shows nothing; it decides nothing either.
    let verdict = row.optionalText().flatMap { OrderVerdict(rawValue: $0) }
    let reason = row.optionalText()
    let moment = row.optionalTimestamp()
    guard let verdict, let moment else { return nil }
    return LastVerdict(verdict, reason: reason, at: moment)
  }
}
