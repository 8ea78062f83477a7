/// The third step of the schema: deliveries are listed in the order of their numbers, as a feed; later steps say which
/// programs may run on them.
enum Schema0003 {
  static let statements = [
    "ALTER TABLE schema_steps ADD COLUMN IF NOT EXISTS oldest_program BIGINT",
    "CREATE INDEX deliveries_in_order ON deliveries (app, environment, id)",
    "DROP INDEX deliveries_by_time",
  ]
}
