import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// What an erasure needs of a posting.
struct RenamedPosting {
  let number: Int64
  let unit: UnitName
  let debit: UserIdentifier?
  let credit: UserIdentifier?
  let amount: Int64
  let booking: Int64?
  let payment: PaymentKey?

  init(_ row: inout Columns) throws {
    number = row.integer()
    unit = row.identifier()
    debit = row.optionalIdentifier()
    credit = row.optionalIdentifier()
    amount = row.integer()
    booking = row.optionalInteger()
    payment = try row.optionalPaymentKey()
  }
}

/// What an erasure needs of an order.
struct RenamedOrder {
  let key: OrderKey
  let scene: String?
  let frozenBecause: String?
  let payment: PaymentKey?

  init(_ row: inout Columns, in appEnvironment: AppEnvironment) throws {
    key = OrderKey(appEnvironment: appEnvironment, id: try row.orderIdentifier())
    scene = row.optionalText()
    frozenBecause = row.optionalText()
    payment = try row.optionalPaymentKey()
  }
}

/// What an erasure needs of a refund.
struct RenamedRefund {
  let appEnvironment: AppEnvironment
  let number: String
  let reason: String?
  let body: String?

  init(_ row: inout Columns) throws {
    let app: AppIdentifier = row.identifier()
    appEnvironment = AppEnvironment(app: app, environment: try row.rawValue())
    number = row.text()
    reason = row.optionalText()
    body = row.optionalText()
  }
}

enum RenamingSQL {
  static let ordersOf = SQL(
    """
    SELECT o.order_id, o.scene, o.frozen_because, \(PaymentRow.keyColumns) FROM orders AS o \(hint: "orders_of_user")
    LEFT JOIN payment_keys AS k ON k.id = o.paid_by
    WHERE \(listed: "o") AND o.user_id = ? ORDER BY o.created_at, o.order_id LIMIT ?
    """)
  static let grantedTo = SQL(
    """
    SELECT \(PaymentRow.keyColumns) FROM grants AS g \(hint: "grants_of_user")
    JOIN payment_keys AS k ON k.id = g.payment
    WHERE g.app = ? AND g.environment = ? AND g.user_id = ? LIMIT ?
    """)
  private static let postingColumns = """
    p.id, p.unit, p.debit_user, p.credit_user, p.amount, p.booking, \(PaymentRow.keyColumns)
    """
  static let postingsTo = postings("postings_to_user", "credit_user")
  static let postingsFrom = postings("postings_from_user", "debit_user")

  private static func postings(_ index: String, _ account: String) -> SQL {
    SQL(
      """
      SELECT \(postingColumns) FROM postings AS p \(hint: index) LEFT JOIN payment_keys AS k ON k.id = p.payment
      WHERE p.app = ? AND p.environment = ? AND p.\(account) = ? LIMIT ?
      """)
  }

  static let postingsOfPayment = SQL(
    """
    SELECT \(postingColumns) FROM postings AS p LEFT JOIN payment_keys AS k ON k.id = p.payment
    WHERE p.payment = ? ORDER BY p.id
    """)
  static let order = SQL(
    """
    UPDATE orders SET user_id = ?, metadata = NULL, idempotency_caller = NULL, idempotency_key = NULL,
      request_digest = NULL, scene = ?, frozen_because = ?,
      reference = CASE WHEN reference_from = 'app' THEN NULL ELSE reference END,
      reference_from = CASE WHEN reference_from = 'app' THEN NULL ELSE reference_from END,
      derived_reference = CASE WHEN derived_reference_from = 'app' THEN NULL ELSE derived_reference END,
      derived_reference_from = CASE WHEN derived_reference_from = 'app' THEN NULL ELSE derived_reference_from END
    WHERE app = ? AND environment = ? AND order_id = ?
    """)
  /// It holds the buyer's id at WeChat, or the address.
  static let prepayBody = SQL(
    """
    UPDATE wechat_pay_orders SET prepay_body = ? WHERE app = ? AND environment = ? AND order_id = ?
    """)
  static let usersOfPayment = [
    SQL("UPDATE payments SET owner = ? WHERE id = ? AND owner = ?"),
    SQL("UPDATE payments SET presenter = ? WHERE id = ? AND presenter = ?"),
    SQL("UPDATE grants SET user_id = ? WHERE payment = ? AND user_id = ?"),
    SQL(
      """
      UPDATE lines SET claimant = ? WHERE id = (SELECT original FROM payments WHERE id = ?) AND claimant = ?
      """),
    SQL(
      """
      UPDATE lines SET transferred_to = ?
      WHERE id = (SELECT original FROM payments WHERE id = ?) AND transferred_to = ?
      """),
    SQL("UPDATE lines SET claimant = ? WHERE id = ? AND claimant = ?"),
    SQL("UPDATE lines SET transferred_to = ? WHERE id = ? AND transferred_to = ?"),
  ]
  static let setAside = SQL("SELECT id, set_aside FROM payments WHERE id = ? AND set_aside IS NOT NULL")
  static let setSetAside = SQL("UPDATE payments SET set_aside = ? WHERE id = ?")
  static let refunds = SQL(
    """
    SELECT app, environment, number, reason, body FROM refunds \(hint: "refunds_of_payment")
    WHERE payment = ? AND state IN ('done', 'failed')
    """)
  static let setRefund = SQL(
    "UPDATE refunds SET reason = ?, body = ? WHERE app = ? AND environment = ? AND number = ?")
  static let posting = SQL("UPDATE postings SET debit_user = ?, credit_user = ? WHERE id = ?")
  static let reason = SQL("SELECT reason FROM bookings WHERE id = ?")
  static let booking = SQL(
    "UPDATE bookings SET user_id = ?, request_digest = ?, reason = ?, metadata = NULL WHERE id = ?")

  static let entry = SQL("SELECT id, details, event FROM journal WHERE id = ?")
  static let entriesOfOrder = SQL(
    """
    SELECT id, details, event FROM journal \(hint: "journal_of_order")
    WHERE order_id = ? AND app = ? AND environment = ?
    """)
  static let entriesOfPayment = SQL(
    "SELECT id, details, event FROM journal \(hint: "journal_of_payment") WHERE payment = ?")
  static let setEntry = SQL("UPDATE journal SET details = ?, event = ? WHERE id = ?")
  static let deliveries = SQL("SELECT id, body FROM deliveries WHERE payment = ?")
  static let setBody = SQL("UPDATE deliveries SET body = ? WHERE id = ?")
  static let operatorEvidence = SQL(
    "SELECT id, text FROM evidence WHERE payment = ? AND origin = 'operator' AND header IS NULL")
  static let setEvidence = SQL("UPDATE evidence SET text = ? WHERE id = ?")
  static let forgetAnswers = SQL(
    """
    UPDATE delivery_attempts SET answer = NULL WHERE delivery IN (SELECT id FROM deliveries WHERE payment = ?)
    """)
  /// What a receiver or the network said of a delivery may name the user in any way.
  static let forgetProblems = [
    SQL("UPDATE deliveries SET last_problem = NULL WHERE payment = ? AND \(.position)(last_problem, ?) > 0"),
    SQL(
      """
      UPDATE delivery_attempts SET problem = NULL
      WHERE delivery IN (SELECT id FROM deliveries WHERE payment = ?) AND \(.position)(problem, ?) > 0
      """),
  ]
  static let keptClaims = SQL(
    "SELECT id, claim FROM kept_claims \(hint: "kept_claims_of_payment") WHERE payment = ?")
  static let setClaim = SQL("UPDATE kept_claims SET claim = ? WHERE id = ?")
  static let stopped = SQL("SELECT statement, presentations FROM stopped_changes WHERE payment = ?")
  static let setPresentations = SQL(
    "UPDATE stopped_changes SET presentations = ? WHERE payment = ? AND statement = ?")
  static let stoppedFound = SQL("SELECT statement, found FROM stopped_changes WHERE payment = ?")
  static let setFound = SQL("UPDATE stopped_changes SET found = ? WHERE payment = ? AND statement = ?")
  static let tasks = SQL("SELECT purpose, claim FROM app_store_errands WHERE payment = ?")
  static let setTaskClaim = SQL("UPDATE app_store_errands SET claim = ? WHERE payment = ? AND purpose = ?")

  static let shares = SQL(
    """
    INSERT INTO shared_rights (app, environment, user_id, original, since)
    SELECT app, environment, CAST(? AS text), original, since FROM shared_rights
    WHERE app = ? AND environment = ? AND user_id = ? ON CONFLICT DO NOTHING
    """)
  static let importedOwners = SQL(
    "UPDATE imported_owners SET user_id = ? WHERE app = ? AND environment = ? AND user_id = ?")
  static let promotional = SQL(
    """
    SELECT promotional_key FROM promotional_entitlements \(hint: "promotional_of_user")
    WHERE \(listed: "promotional_entitlements") AND user_id = ?
    """)
  static let promotionalUser = SQL(
    """
    UPDATE promotional_entitlements SET user_id = ?, reason = ?, request_digest = ?,
      revoke_reason = CASE WHEN revoked_at IS NULL THEN NULL ELSE CAST(? AS text) END
    WHERE app = ? AND environment = ? AND promotional_key = ?
    """)
  static let forgotten =
    [
      "shared_rights", "consumption_consents", "spending_limits", "known_users", "claims",
    ].map { SQL("DELETE FROM \($0) WHERE app = ? AND environment = ? AND user_id = ?") } + [
      SQL("DELETE FROM merged_users WHERE app = ? AND environment = ? AND user_id = ?"),
      SQL(
        """
        DELETE FROM merged_users WHERE (app, environment, user_id) IN (
          SELECT app, environment, user_id FROM merged_users \(hint: "merged_users_into")
          WHERE \(listed: "merged_users") AND merged_into = ?)
        """),
      SQL("DELETE FROM balances WHERE app = ? AND environment = ? AND user_id = ? AND amount = 0"),
    ]
  static let complaints = SQL(
    """
    SELECT id, facts FROM complaints \(hint: "complaints_of_user") WHERE \(listed: "complaints") AND user_id = ?
    """)
  static let complaint = SQL(
    "UPDATE complaints SET user_id = ?, facts = ?, history = '[]' WHERE app = ? AND environment = ? AND id = ?")
  static let approvals = SQL("SELECT id FROM approvals \(hint: "approvals_of_app") WHERE app = ?")
  static let approval = SQL("UPDATE approvals SET object = ?, arguments = ?, reason = ?, digest = ? WHERE id = ?")

  static let all =
    [
      ordersOf, grantedTo, postingsTo, postingsFrom, postingsOfPayment, order, prepayBody, posting, reason, booking,
      entry, entriesOfOrder, entriesOfPayment, setEntry, deliveries, setBody, operatorEvidence, setEvidence,
      forgetAnswers, keptClaims, setClaim,
      stopped, setPresentations, tasks, setTaskClaim, shares, importedOwners, complaints, complaint, approvals,
      approval, promotional, promotionalUser, setAside, setSetAside, refunds, setRefund, stoppedFound, setFound,
    ] + usersOfPayment + forgotten + forgetProblems
}
