/// Events that backends book by (record 276): what is told stands in the journal, and what the store states of prices,
/// storefronts and offers beside the payments and subscriptions.
enum Migration0024 {
  static let statements = [
    "ALTER TABLE journal ADD COLUMN event TEXT",  // JSON; null where the backend is told nothing
    "ALTER TABLE payments ADD COLUMN storefront TEXT",  // the country, three letters
    "ALTER TABLE payments ADD COLUMN offer TEXT",  // type, id, discount, period: a list of texts
    "ALTER TABLE echoes ADD COLUMN storefront TEXT",
    "ALTER TABLE echoes ADD COLUMN offer TEXT",
    "ALTER TABLE lines ADD COLUMN renewal_price_milliunits INTEGER",
    "ALTER TABLE lines ADD COLUMN renewal_price_currency TEXT",
  ]
}
