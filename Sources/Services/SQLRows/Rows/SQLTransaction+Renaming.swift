import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// How the rows of a user who is erased get the alias.
extension SQLTransaction {
  func rename(_ renaming: UserRenaming, limit: Int) throws -> RenamedRows {
    var done = RenamedRows()
    var payments: Set<PaymentKey> = []
    for name in renaming.names {
      let orders = try all(RenamingSQL.ordersOf, { bind(name, renaming, limit, &$0) }) { row in
        (OrderKey(appEnvironment: renaming.appEnvironment, id: try row.orderIdentifier()), try row.optionalPaymentKey())
      }
      for (order, payment) in orders {
        try rename(order, renaming)
        if let payment { payments.insert(payment) }
      }
      done.orders += orders.count
      payments.formUnion(try all(RenamingSQL.grantedTo, { bind(name, renaming, limit, &$0) }) { try $0.paymentKey() })
      for sql in [RenamingSQL.postingsTo, RenamingSQL.postingsFrom] {
        let postings = try all(sql, { bind(name, renaming, limit, &$0) }, RenamedPosting.init)
        for posting in postings {
          if let payment = posting.payment {
            payments.insert(payment)
          } else {
            try rename(posting, renaming)
            done.bookings += 1
          }
        }
      }
    }
    done.payments = payments.sorted()
    for payment in done.payments { try rename(payment, renaming) }
    return done
  }

  func rename(_ renaming: UserRenaming, in rows: NamingRows) throws {
    for payment in rows.payments { try rename(payment, renaming) }
    for number in rows.entries { try redactEntries(RenamingSQL.entry, renaming) { $0.add(number) } }
  }

  private func bind(_ name: UserIdentifier, _ renaming: UserRenaming, _ limit: Int, _ row: inout Parameters) {
    row.add(renaming.appEnvironment)
    row.add(name)
    row.add(max(0, limit))
  }

  private func rename(_ order: OrderKey, _ renaming: UserRenaming) throws {
    try write(RenamingSQL.order) {
      $0.add(renaming.alias)
      $0.add(order)
    }
    // What this run knows of it has changed.
    if let known = try knownOrder(order) { note(known.erased(as: renaming.alias)) }
    try write(RenamingSQL.prepayBody) { $0.add(order) }
    try redactEntries(RenamingSQL.entriesOfOrder, renaming) {
      $0.add(order.id)
      $0.add(order.appEnvironment)
    }
  }

  /// The rows of one payment.
  private func rename(_ key: PaymentKey, _ renaming: UserRenaming) throws {
    guard let number = try identifier(of: key) else { return }
    for name in renaming.names {
      for sql in RenamingSQL.usersOfPayment {
        try write(sql) {
          $0.add(renaming.alias)
          $0.add(number)
          $0.add(name)
        }
      }
    }
    let postings = try all(RenamingSQL.postingsOfPayment, { $0.add(number) }, RenamedPosting.init)
    for posting in postings { try rename(posting, renaming) }
    try redactEntries(RenamingSQL.entriesOfPayment, renaming) { $0.add(number) }
    try redact(RenamingSQL.deliveries, RenamingSQL.setBody, of: number, renaming.redacted)
    try redact(RenamingSQL.keptClaims, RenamingSQL.setClaim, of: number, renaming.redacted)
    try redactKeyed(RenamingSQL.stopped, RenamingSQL.setPresentations, of: number) { text in
      TextList.encode(TextList.decode(text).map(renaming.redacted))
    }
    try redactKeyed(RenamingSQL.tasks, RenamingSQL.setTaskClaim, of: number, renaming.redacted)
    try write(RenamingSQL.forgetAnswers) { $0.add(number) }
  }

  /// A posting with its booking, if it has one. The balances follow.
  private func rename(_ posting: RenamedPosting, _ renaming: UserRenaming) throws {
    let (debit, credit) = (renaming.renamed(posting.debit), renaming.renamed(posting.credit))
    guard debit != posting.debit || credit != posting.credit else { return }
    try write(RenamingSQL.posting) {
      $0.add(debit)
      $0.add(credit)
      $0.add(posting.number)
    }
    func move(_ amount: Int64, from user: UserIdentifier?, to other: UserIdentifier?) throws {
      guard let user, let other, user != other else { return }
      for (user, amount) in [(user, 0 &- amount), (other, amount)] {
        try write(PostingSQL.moveBalance) {
          $0.add(renaming.appEnvironment)
          $0.add(user)
          $0.add(posting.unit)
          $0.add(amount)
        }
      }
    }
    try move(0 &- posting.amount, from: posting.debit, to: debit)
    try move(posting.amount, from: posting.credit, to: credit)
    guard let booking = posting.booking else { return }
    let reason = try first(RenamingSQL.reason, { $0.add(booking) }, { $0.optionalText() }) ?? nil
    try write(RenamingSQL.booking) {
      $0.add(renaming.alias)
      $0.add(Booking.erasedDigest)
      $0.add(renaming.erasedReason(reason))
      $0.add(booking)
    }
  }

  private func redactEntries(
    _ sql: SQL, _ renaming: UserRenaming, _ bind: (inout Parameters) -> Void
  ) throws {
    let entries = try all(sql, bind) { ($0.integer(), $0.text(), $0.optionalText()) }
    for (number, details, event) in entries {
      let after = (renaming.redacted(details), event.map(renaming.redacted))
      guard after.0 != details || after.1 != event else { continue }
      try write(RenamingSQL.setEntry) {
        $0.add(after.0)
        $0.add(after.1)
        $0.add(number)
      }
    }
  }

  /// Replaces a text of each row of a payment, by the row's number.
  private func redact(_ read: SQL, _ set: SQL, of payment: Int64, _ redacted: (String) -> String) throws {
    for (number, text) in try all(read, { $0.add(payment) }, { ($0.integer(), $0.text()) }) {
      let after = redacted(text)
      guard after != text else { continue }
      try write(set) {
        $0.add(after)
        $0.add(number)
      }
    }
  }

  /// The same for rows that have a payment and a text as their key.
  private func redactKeyed(_ read: SQL, _ set: SQL, of payment: Int64, _ redacted: (String) -> String?) throws {
    for (key, found) in try all(read, { $0.add(payment) }, { ($0.text(), $0.optionalText()) }) {
      guard let text = found, let after = redacted(text), after != text else { continue }
      try write(set) {
        $0.add(after)
        $0.add(payment)
        $0.add(key)
      }
    }
  }

  func forgetRest(_ renaming: UserRenaming) throws {
    for name in renaming.names {
      try write(RenamingSQL.shares) {
        $0.add(renaming.alias)
        $0.add(renaming.appEnvironment)
        $0.add(name)
      }
      try write(RenamingSQL.importedOwners) {
        $0.add(renaming.alias)
        $0.add(renaming.appEnvironment)
        $0.add(name)
      }
      for sql in RenamingSQL.forgotten {
        try write(sql) {
          $0.add(renaming.appEnvironment)
          $0.add(name)
        }
      }
      let complaints = try all(
        RenamingSQL.complaints,
        {
          $0.add(renaming.appEnvironment)
          $0.add(name)
        }, { ($0.text(), $0.text()) })
      for (id, facts) in complaints {
        try write(RenamingSQL.complaint) {
          $0.add(renaming.alias)
          $0.add(renaming.redacted(facts))
          $0.add(renaming.appEnvironment)
          $0.add(id)
        }
      }
    }
    let decided = try all(RenamingSQL.approvals, { $0.add(renaming.appEnvironment.app) }, { $0.text() })
    for id in decided {
      guard let before = try approval(id) else { continue }
      let after = before.erased(renaming)
      guard after != before else { continue }
      try write(RenamingSQL.approval) {
        $0.add(after.object)
        $0.add(after.arguments)
        $0.add(id)
      }
    }
  }
}

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

enum RenamingSQL {
  static let ordersOf = SQL(
    """
    SELECT o.order_id, \(PaymentRow.keyColumns) FROM orders AS o \(hint: "orders_of_user")
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
      request_digest = NULL,
      reference = CASE WHEN reference_from = 'app' THEN NULL ELSE reference END,
      reference_from = CASE WHEN reference_from = 'app' THEN NULL ELSE reference_from END,
      derived_reference = CASE WHEN derived_reference_from = 'app' THEN NULL ELSE derived_reference END,
      derived_reference_from = CASE WHEN derived_reference_from = 'app' THEN NULL ELSE derived_reference_from END
    WHERE app = ? AND environment = ? AND order_id = ?
    """)
  /// It holds the buyer's id at WeChat. Nobody sends it any more.
  static let prepayBody = SQL(
    """
    UPDATE wechat_pay_orders SET prepay_body = '{}'
    WHERE app = ? AND environment = ? AND order_id = ? AND state IN ('paid', 'closed')
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
  static let forgetAnswers = SQL(
    """
    UPDATE delivery_attempts SET answer = NULL WHERE delivery IN (SELECT id FROM deliveries WHERE payment = ?)
    """)
  static let keptClaims = SQL(
    "SELECT id, claim FROM kept_claims \(hint: "kept_claims_of_payment") WHERE payment = ?")
  static let setClaim = SQL("UPDATE kept_claims SET claim = ? WHERE id = ?")
  static let stopped = SQL("SELECT statement, presentations FROM stopped_changes WHERE payment = ?")
  static let setPresentations = SQL(
    "UPDATE stopped_changes SET presentations = ? WHERE payment = ? AND statement = ?")
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
  static let approvals = SQL(
    "SELECT id FROM approvals \(hint: "approvals_of_app") WHERE app = ? AND decided_at IS NOT NULL")
  static let approval = SQL("UPDATE approvals SET object = ?, arguments = ? WHERE id = ?")

  static let all =
    [
      ordersOf, grantedTo, postingsTo, postingsFrom, postingsOfPayment, order, prepayBody, posting, reason, booking,
      entry, entriesOfOrder, entriesOfPayment, setEntry, deliveries, setBody, forgetAnswers, keptClaims, setClaim,
      stopped, setPresentations, tasks, setTaskClaim, shares, importedOwners, complaints, complaint, approvals,
      approval,
    ] + usersOfPayment + forgotten
}
