/// Orders are listed by the time of their creation, then by id.
///
/// If an order was derived from a payment, its id contains a hash. A list by id put such orders at arbitrary places
/// (record 0141).
enum Migration0012 {
  static let statements = [
    "DROP INDEX orders_of_user",
    "CREATE INDEX orders_of_user ON orders (app, environment, user_id, created_at, order_id)",
    "CREATE INDEX orders_by_time ON orders (app, environment, created_at, order_id)",
  ]
}
