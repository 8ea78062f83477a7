/// Orders are listed by the moment of their making, then by id.
///
/// The id of an order that was derived from a payment is made of a hash: a list by id put such orders anywhere
/// (record 0141).
enum Migration0012 {
  static let statements = [
    "DROP INDEX orders_of_user",
    "CREATE INDEX orders_of_user ON orders (app, environment, user_id, created_at, order_id)",
    "CREATE INDEX orders_by_time ON orders (app, environment, created_at, order_id)",
  ]
}
