/// The third step of the schema: deliveries are listed in the order of their numbers, as a feed.
enum Schema0003 {
  static let statements = [
    "CREATE INDEX deliveries_in_order ON deliveries (app, environment, id)",
    "DROP INDEX deliveries_by_time",
  ]
}
