import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The row of a payment in the table `payments`; its key is in `payment_keys`.
enum PaymentRow {
  /// The columns to read, from `payments AS p`, after the key.
  static let columns = """
    (SELECT transaction_id FROM payment_keys WHERE id = p.original),
    p.web_order_line_item, p.store_product, p.kind, p.quantity,
    p.purchase_date, p.original_purchase_date, p.expires_date, p.signed_date, p.token, p.ownership,
    p.app_transaction, p.revocation_date, p.revocation_reason, p.revocation_type,
    p.revocation_percentage, p.price_milliunits, p.price_currency, p.is_renewal, p.is_upgraded, p.storefront, p.offer,
    p.state, p.hold_reason, p.parts_taken, p.set_aside, p.owner, p.order_id, p.match_rule, p.match_flags, p.match_at,
    p.presenter, p.first_seen_at, p.finished_at, p.last_sequence, p.merchant, p.store_app,
    p.stated_revocation_date, p.stated_revocation_reason, p.stated_revocation_type,
    p.stated_revocation_percentage, p.refund_reversed_at, p.refund_history, p.ids_disagree_since,
    p.confirmed_revocation
    """

  /// The number of columns that `bind(facts)` fills.
  static let factCount = 21

  /// A payment's key, from `payment_keys AS k`.
  static let keyColumns = "k.app, k.store, k.environment, k.transaction_id"

  static let insert = SQL(
    """
    INSERT INTO payments (
      original, web_order_line_item, store_product, kind, quantity,
      purchase_date, original_purchase_date, expires_date, signed_date, token, ownership,
      app_transaction, revocation_date, revocation_reason, revocation_type,
      revocation_percentage, price_milliunits, price_currency, is_renewal, is_upgraded, storefront, offer,
      state, hold_reason, parts_taken, set_aside, owner, order_id, match_rule, match_flags, match_at,
      presenter, first_seen_at, finished_at, last_sequence, merchant, store_app,
      stated_revocation_date, stated_revocation_reason, stated_revocation_type,
      stated_revocation_percentage, refund_reversed_at, refund_history, ids_disagree_since, confirmed_revocation,
      id, app, environment)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
      ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)

  static let update = SQL(
    """
    UPDATE payments SET
      original = ?, web_order_line_item = ?, store_product = ?, kind = ?, quantity = ?,
      purchase_date = ?, original_purchase_date = ?, expires_date = ?, signed_date = ?, token = ?,
      ownership = ?, app_transaction = ?, revocation_date = ?, revocation_reason = ?,
      revocation_type = ?, revocation_percentage = ?, price_milliunits = ?, price_currency = ?,
      is_renewal = ?, is_upgraded = ?, storefront = ?, offer = ?,
      state = ?, hold_reason = ?, parts_taken = ?, set_aside = ?, owner = ?, order_id = ?, match_rule = ?,
      match_flags = ?, match_at = ?, presenter = ?, first_seen_at = ?, finished_at = ?,
      last_sequence = ?, merchant = ?, store_app = ?, stated_revocation_date = ?,
      stated_revocation_reason = ?, stated_revocation_type = ?, stated_revocation_percentage = ?,
      refund_reversed_at = ?, refund_history = ?, ids_disagree_since = ?, confirmed_revocation = ?
    WHERE id = ?
    """)

  // MARK: Writing

  /// All columns except the key, in the order of `insert` and `update`.
  static func bind(_ payment: Payment, original: Int64, _ row: inout Parameters) {
    row.add(original)
    bind(payment.facts, &row)
    bind(payment.state, &row)
    row.add(payment.owner)
    row.add(payment.order)
    row.add(payment.match?.rule.rawValue)
    row.add(payment.match.map { TextList.encode($0.flags) })
    row.add(payment.match?.at)
    row.add(payment.presenter)
    row.add(payment.firstSeenAt)
    row.add(payment.finishedAt)
    row.add(payment.lastSequence)
    row.add(payment.facts.merchant)
    row.add(payment.facts.storeApp)
    bind(payment.statedRevocation, &row)
    row.add(payment.refundReversedAt)
    row.add(payment.refundHistory.text)
    row.add(payment.idsDisagreeSince)
    row.add(payment.confirmedRevocation)
  }

  static func bind(_ facts: VerifiedPayment, _ row: inout Parameters) {
    row.add(facts.webOrderLineItem)
    row.add(facts.storeProduct)
    row.add(facts.kind.rawValue)
    row.add(facts.quantity)
    row.add(facts.purchaseDate)
    row.add(facts.originalPurchaseDate)
    row.add(facts.expiresDate)
    row.add(facts.signedDate)
    row.add(facts.token)
    switch facts.ownership {
    case .purchased: row.add("purchased")
    case .familyShared: row.add("familyShared")
    case .assigned: row.add("assigned")
    case .unknown(let name): row.add(unknownPrefix + name)
    }
    row.add(facts.appTransaction)
    bind(facts.revocation, &row)
    row.add(facts.price?.milliunits)
    row.add(facts.price?.currency)
    row.add(facts.isRenewal)
    row.add(facts.isUpgraded)
    row.add(facts.storefront)
    row.add(facts.offer.flatMap { TextList.encode($0.texts) })
  }

  private static func bind(_ revocation: Revocation?, _ row: inout Parameters) {
    row.add(revocation?.date)
    row.add(revocation?.reason)
    row.add(revocation?.type)
    row.add(revocation?.percentage)
  }

  private static func bind(_ state: PaymentState, _ row: inout Parameters) {
    row.add(state.name)
    switch state {
    case .held(let reason):
      row.add(reason.rawValue)
      row.addNull()
      row.addNull()
    case .reversed(let amount), .reinstated(let amount):
      row.addNull()
      row.add(amount)
      row.addNull()
    case .setAside(let record):
      row.addNull()
      row.addNull()
      row.add(TextList.encode(record.texts))
    case .verified, .fulfilled, .unclaimed, .revoked, .imported:
      row.addNull()
      row.addNull()
      row.addNull()
    }
  }

  // MARK: Reading

  static func read(_ key: PaymentKey, _ row: inout Columns) throws -> Payment {
    let facts = try facts(key, &row)
    let state = try state(&row)
    let owner: UserIdentifier? = row.optionalIdentifier()
    let order = try row.optionalOrderIdentifier()
    let match = try match(&row)
    let presenter: UserIdentifier? = row.optionalIdentifier()
    var payment = Payment(facts: facts, firstSeenAt: row.timestamp())
    payment.state = state
    payment.owner = owner
    payment.order = order
    payment.match = match
    payment.presenter = presenter
    payment.finishedAt = row.optionalTimestamp()
    payment.lastSequence = row.int()
    payment.facts.merchant = row.optionalText()
    payment.facts.storeApp = row.optionalText()
    payment.statedRevocation = revocation(&row)
    payment.refundReversedAt = row.optionalTimestamp()
    payment.refundHistory = try refundHistory(&row)
    payment.idsDisagreeSince = row.optionalTimestamp()
    payment.confirmedRevocation = row.optionalTimestamp()
    return payment
  }

  static func refundHistory(_ row: inout Columns) throws -> RefundHistory {
    guard let history = RefundHistory(text: row.text()) else { throw row.damage("a history of refunds") }
    return history
  }

  /// With the key before the other columns.
  static func readWithKey(_ row: inout Columns) throws -> Payment {
    let key = try row.paymentKey()
    return try read(key, &row)
  }

  static func facts(_ key: PaymentKey, _ row: inout Columns) throws -> VerifiedPayment {
    let original: TransactionIdentifier = row.identifier()
    let webOrderLineItem = row.optionalText()
    let storeProduct: StoreProductIdentifier = row.identifier()
    let kind: ProductKind = try row.rawValue()
    let quantity = row.int()
    let purchaseDate = row.timestamp()
    let originalPurchaseDate = row.optionalTimestamp()
    let expiresDate = row.optionalTimestamp()
    var facts = VerifiedFacts(
      key: key, originalTransaction: original, storeProduct: storeProduct, kind: kind,
      quantity: quantity, purchaseDate: purchaseDate, signedDate: row.timestamp())
    facts.webOrderLineItem = webOrderLineItem
    facts.originalPurchaseDate = originalPurchaseDate
    facts.expiresDate = expiresDate
    facts.token = try row.optionalOrderIdentifier()
    facts.ownership = try ownership(&row)
    facts.appTransaction = row.optionalText()
    facts.revocation = revocation(&row)
    let milliunits = row.optionalInteger()
    let currency = row.optionalText()
    if let milliunits, let currency {
      facts.price = StatedPrice(milliunits: milliunits, currency: currency)
    }
    facts.isRenewal = row.flag()
    facts.isUpgraded = row.flag()
    facts.storefront = row.optionalText()
    if let column = row.optionalText() {
      guard let offer = StatedOffer(texts: TextList.decode(column)) else { throw row.damage("an offer") }
      facts.offer = offer
    }
    return VerifiedPayment(facts)
  }

  private static func ownership(_ row: inout Columns) throws -> Ownership {
    switch row.text() {
    case "purchased": return .purchased
    case "familyShared": return .familyShared
    case "assigned": return .assigned
    case let name where name.utf8.starts(with: unknownPrefix.utf8):
      return .unknown(String(decoding: name.utf8.dropFirst(unknownPrefix.utf8.count), as: UTF8.self))
    default: throw row.damage("an ownership")
    }
  }

  /// The prefix for a store value that this version does not know, so that it is never read as a known one.
  private static let unknownPrefix = "unknown:"

  private static func revocation(_ row: inout Columns) -> Revocation? {
    let date = row.optionalTimestamp()
    let reason = row.optionalInteger()
    let type = row.optionalText()
    let percentage = row.optionalInteger()
    return date.map { Revocation(date: $0, reason: reason, type: type, percentage: percentage) }
  }

  private static func state(_ row: inout Columns) throws -> PaymentState {
    let name = row.text()
    let reason = row.optionalText()
    let amount = row.optionalInteger()
    let setAside = row.optionalText().flatMap { SetAside(texts: TextList.decode($0)) }
    if let setAside {
      guard name == "setAside" else { throw row.damage("a state that fits its particulars") }
      return .setAside(setAside)
    }
    switch (name, reason.map { HoldReason(rawValue: $0) }, amount) {
    case ("verified", nil, nil): return .verified
    case ("fulfilled", nil, nil): return .fulfilled
    case ("unclaimed", nil, nil): return .unclaimed
    case ("held", .some(let reason?), nil): return .held(reason)
    case ("revoked", nil, nil): return .revoked
    case ("imported", nil, nil): return .imported
    case ("reversed", nil, let amount?): return .reversed(amount: amount)
    case ("reinstated", nil, let amount?): return .reinstated(amount: amount)
    default: throw row.damage("a state that fits its particulars")
    }
  }

  private static func match(_ row: inout Columns) throws -> MatchRecord? {
    let name = row.optionalText()
    let flags = try TextList.decode(row.optionalText(), row)
    let moment = row.optionalTimestamp()
    guard let name, let moment else { return nil }
    guard let rule = MatchRule(rawValue: name) else { throw row.damage("a known rule") }
    return MatchRecord(rule: rule, flags: flags, at: moment)
  }
}

extension StatedOffer {
  /// The type, the id, the discount and the period; an empty text is none.
  fileprivate var texts: [String] { [type, id ?? "", discountType ?? "", period ?? ""] }

  fileprivate init?(texts: [String]) {
    guard texts.count == 4 else { return nil }
    self.init(type: texts[0], id: texts[1], discountType: texts[2], period: texts[3])
  }
}

extension SetAside {
  /// The actor, the reason, the time in milliseconds, and the former reason for holding it, which is empty for an
  /// unclaimed payment.
  fileprivate var texts: [String] { [by, reason, String(at.milliseconds), former?.rawValue ?? ""] }

  fileprivate init?(texts: [String]) {
    guard texts.count == 4, let moment = Int64(texts[2]) else { return nil }
    let former = HoldReason(rawValue: texts[3])
    guard former != nil || texts[3].isEmpty else { return nil }
    self.init(by: texts[0], reason: texts[1], at: Timestamp(milliseconds: moment), former: former)
  }
}
