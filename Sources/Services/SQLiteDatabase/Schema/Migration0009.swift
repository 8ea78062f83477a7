/// The store's statement under each id of a purchase, and since when these disagree.
enum Migration0009 {
  static let statements = [
    // The statement under the payment's own id; `revocation_date` and the columns next to it are the effective values.
    "ALTER TABLE payments ADD COLUMN stated_revocation_date INTEGER",
    "ALTER TABLE payments ADD COLUMN stated_revocation_reason INTEGER",
    "ALTER TABLE payments ADD COLUMN stated_revocation_type TEXT",
    "ALTER TABLE payments ADD COLUMN stated_revocation_percentage INTEGER",
    "ALTER TABLE payments ADD COLUMN refund_reversed_at INTEGER",  // when REFUND_REVERSED was signed under its own id
    "ALTER TABLE payments ADD COLUMN ids_disagree_since INTEGER",
    "ALTER TABLE payments ADD COLUMN confirmed_revocation INTEGER",  // date of a revocation that an operator confirms
    """
    UPDATE payments SET
      stated_revocation_date = revocation_date, stated_revocation_reason = revocation_reason,
      stated_revocation_type = revocation_type, stated_revocation_percentage = revocation_percentage
    WHERE revocation_date IS NOT NULL
    """,
    """
    CREATE INDEX payments_in_doubt ON payments (app, environment, ids_disagree_since)
      WHERE ids_disagree_since IS NOT NULL
    """,
    // For the duplicate ids already stored, only the payment that they repeat is known.
    "ALTER TABLE echoes ADD COLUMN line INTEGER REFERENCES payment_keys (id)",
    "UPDATE echoes SET line = (SELECT original FROM payments AS p WHERE p.id = echoes.payment)",
    "CREATE INDEX echoes_of_line ON echoes (line)",
    "ALTER TABLE echoes ADD COLUMN refund_reversed_at INTEGER",
    "ALTER TABLE echoes ADD COLUMN web_order_line_item TEXT",
    "ALTER TABLE echoes ADD COLUMN store_product TEXT",
    "ALTER TABLE echoes ADD COLUMN kind TEXT",
    "ALTER TABLE echoes ADD COLUMN quantity INTEGER",
    "ALTER TABLE echoes ADD COLUMN purchase_date INTEGER",
    "ALTER TABLE echoes ADD COLUMN original_purchase_date INTEGER",
    "ALTER TABLE echoes ADD COLUMN expires_date INTEGER",
    "ALTER TABLE echoes ADD COLUMN signed_date INTEGER",
    "ALTER TABLE echoes ADD COLUMN token BLOB",
    "ALTER TABLE echoes ADD COLUMN ownership TEXT",
    "ALTER TABLE echoes ADD COLUMN app_transaction TEXT",
    "ALTER TABLE echoes ADD COLUMN revocation_date INTEGER",
    "ALTER TABLE echoes ADD COLUMN revocation_reason INTEGER",
    "ALTER TABLE echoes ADD COLUMN revocation_type TEXT",
    "ALTER TABLE echoes ADD COLUMN revocation_percentage INTEGER",
    "ALTER TABLE echoes ADD COLUMN price_milliunits INTEGER",
    "ALTER TABLE echoes ADD COLUMN price_currency TEXT",
    "ALTER TABLE echoes ADD COLUMN is_renewal INTEGER",
    "ALTER TABLE echoes ADD COLUMN is_upgraded INTEGER",
  ]
}
