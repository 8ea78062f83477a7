/// Stopped changes of money become separate rows, and changes that earlier versions stopped are marked among them.
///
/// After the start, the marked ones are tried again with their stored evidence, on the ordinary path: SQL decides
/// nothing about money.
enum Migration0010 {
  static let statements = table + duplicates + marks + duplicatesMade + refunds

  private static let table = [
    "ALTER TABLE payments ADD COLUMN set_aside TEXT",  // actor, reason, time, former reason for holding: one per line
    """
    CREATE TABLE stopped_changes (   -- changes of money that something stopped, until they take effect
      payment INTEGER NOT NULL REFERENCES payment_keys (id),
      statement TEXT NOT NULL,       -- SHA-256 of the content, hexadecimal
      app TEXT NOT NULL,             -- app and environment of the key, for the index
      environment TEXT NOT NULL,
      kind TEXT NOT NULL,
      invariant INTEGER,
      found TEXT NOT NULL,
      orders TEXT,                   -- one a line, in hexadecimal digits
      content TEXT NOT NULL,         -- what the store said (JSON)
      presentations TEXT,            -- one a line: who presented it, and with what (JSON)
      evidence TEXT NOT NULL,
      origin TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      next_attempt_at INTEGER NOT NULL,
      first_seen_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      PRIMARY KEY (payment, statement)
    ) STRICT
    """,
    "CREATE INDEX stopped_changes_due ON stopped_changes (next_attempt_at)",
    "CREATE INDEX stopped_changes_in ON stopped_changes (app, environment, first_seen_at, kind)",
  ]

  /// Earlier versions inserted a duplicate as a payment if they froze its change. This finds them: never granted, and
  /// the same event as a payment that was granted, or else as the first one. A purchase is not a duplicate if it may
  /// have been made after everything before it was refunded.
  private static let duplicates = [
    """
    CREATE TABLE former_duplicates AS
    SELECT d.id AS id, d.first_seen_at AS first_seen_at, (
      SELECT o.id FROM payments AS o
      WHERE o.id IN (
          SELECT s.id FROM payments AS s WHERE s.id = d.original AND s.original = d.original
          UNION ALL SELECT s.id FROM payments AS s WHERE s.original = d.original AND s.original <> s.id)
        AND o.ownership = d.ownership
        AND (o.app_transaction IS NULL OR d.app_transaction IS NULL OR o.app_transaction = d.app_transaction)
        AND (o.id = d.id
          OR (o.kind = 'nonConsumable' AND d.kind = 'nonConsumable'
            AND (o.revocation_date IS NULL OR d.purchase_date <= o.revocation_date OR d.revocation_date IS NOT NULL))
          OR (o.kind <> 'nonConsumable' AND o.web_order_line_item = d.web_order_line_item)
          OR (o.kind <> 'nonConsumable' AND (o.web_order_line_item IS NULL OR d.web_order_line_item IS NULL)
            AND o.store_product = d.store_product AND o.purchase_date / 1000 = d.purchase_date / 1000))
      ORDER BY EXISTS (SELECT 1 FROM grants AS g WHERE g.payment = o.id) DESC, o.state = 'imported' DESC,
        o.purchase_date, o.id
      LIMIT 1) AS payment
    FROM payments AS d JOIN payment_keys AS k ON k.id = d.id
    WHERE k.store = 'appStore' AND d.state IN ('verified', 'held', 'unclaimed', 'revoked') AND d.order_id IS NULL
      AND NOT EXISTS (SELECT 1 FROM grants AS g WHERE g.payment = d.id)
      AND NOT EXISTS (SELECT 1 FROM deliveries AS v WHERE v.payment = d.id)
    """,
    "DELETE FROM former_duplicates WHERE payment IS NULL OR payment = id",
  ]

  /// Payments that were frozen, or whose change was dropped, and duplicates: their evidence is processed again.
  private static let marks = [
    """
    INSERT INTO stopped_changes (
      payment, statement, app, environment, kind, found, orders, content, evidence, origin, attempts, next_attempt_at,
      first_seen_at, last_seen_at)
    SELECT p.id, 'earlier', p.app, p.environment, 'stoppedByEarlierVersion', ifnull((
        SELECT j.details FROM journal AS j INDEXED BY journal_of_payment
        WHERE j.payment = p.id AND j.what = 'invariant.broken' ORDER BY j.id DESC LIMIT 1), '{}'), (
        SELECT group_concat(hex(o.order_id), char(10)) FROM orders AS o
        WHERE o.frozen_because IS NOT NULL AND o.app = p.app AND o.environment = p.environment
          AND (o.order_id = p.order_id OR o.order_id = p.token OR o.paid_by = p.id
            OR o.paid_by = (SELECT f.payment FROM former_duplicates AS f WHERE f.id = p.id))),
      '', '', 'notification', 0, 0, p.first_seen_at, p.first_seen_at
    FROM payments AS p
    WHERE p.id IN (SELECT id FROM former_duplicates)
      OR (p.state = 'held' AND p.hold_reason = 'orderFrozen')
      OR p.id IN (SELECT j.payment FROM journal AS j WHERE j.what = 'invariant.broken' AND j.payment IS NOT NULL)
    """,
    // A freeze without a waiting change has no use: each commit is checked anyway.
    """
    UPDATE orders SET frozen_because = NULL
    WHERE frozen_because IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM stopped_changes AS s WHERE instr(s.orders, hex(orders.order_id)) > 0)
    """,
  ]

  private static let duplicatesMade = [
    """
    INSERT INTO echoes (id, payment, first_seen_at, line)
    SELECT id, payment, first_seen_at, (SELECT original FROM payments AS p WHERE p.id = former_duplicates.payment)
    FROM former_duplicates WHERE true ON CONFLICT (id) DO NOTHING
    """,
    "DELETE FROM payments WHERE id IN (SELECT id FROM former_duplicates)",
    "DROP TABLE former_duplicates",
  ]

  /// Refunds made at the store itself, with a stopped effect: the store is asked about them.
  private static let refunds = [
    """
    UPDATE refunds SET next_question_at = created_at
    WHERE state = 'asked' AND body IS NULL AND next_question_at IS NULL
    """
  ]
}
