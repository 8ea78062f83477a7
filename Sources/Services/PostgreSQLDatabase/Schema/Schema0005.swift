/// The fifth step of the schema: events with prices (record 276). It only adds, so servers of the step before serve
/// beside those of this one.
enum Schema0005 {
  // A printed statement ends with a semicolon, so none ends with a comment.
  static let statements = [
    // JSON; null where the backend is told nothing.
    #"ALTER TABLE journal ADD COLUMN event TEXT COLLATE "C""#,
    """
    ALTER TABLE payments
      ADD COLUMN storefront TEXT COLLATE "C",  -- the country, three letters
      ADD COLUMN offer TEXT COLLATE "C"
    """,
    """
    ALTER TABLE echoes ADD COLUMN storefront TEXT COLLATE "C", ADD COLUMN offer TEXT COLLATE "C"
    """,
    """
    ALTER TABLE lines
      ADD COLUMN renewal_price_milliunits BIGINT, ADD COLUMN renewal_price_currency TEXT COLLATE "C"
    """,
  ]
}
