/// What an operator searches for is found by an index (record 0176).
///
/// None of them is by a key that is random for every purchase: such an index slows each fulfilment down. Line items
/// ascend with time. Refunds are few, and so are payments with a token that are not granted and pay no order. Most apps
/// give orders no number. Renewals have a token and no order, so the granted ones are left out.
enum Migration0017 {
  static let statements = [
    // Many users may have the same number: in this order a search reads only what it shows.
    """
    CREATE INDEX orders_by_app_reference ON orders (app, environment, reference, created_at, order_id)
      WHERE reference_from = 'app'
    """,
    """
    CREATE INDEX payments_by_line_item ON payments (web_order_line_item)
      WHERE web_order_line_item IS NOT NULL
    """,
    """
    CREATE INDEX payments_unmatched_token ON payments (token)
      WHERE token IS NOT NULL AND order_id IS NULL AND state <> 'fulfilled'
    """,
    """
    CREATE INDEX refunds_by_store_number ON refunds (store_number)
      WHERE store_number IS NOT NULL
    """,
  ]
}
