/// What happened by the hour (record 310). No fulfilment reads or writes it.
enum Migration0032 {
  static let statements = [
    """
    CREATE TABLE hourly_totals (     -- counted from the journal and the deliveries; nothing removes it
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      hour INTEGER NOT NULL,         -- whole hours since 1970 in UTC
      what TEXT NOT NULL,
      currency TEXT NOT NULL,        -- empty where nothing states a price
      count INTEGER NOT NULL,
      amount INTEGER NOT NULL,       -- in thousandths of a currency unit
      PRIMARY KEY (app, environment, hour, what, currency)
    ) STRICT, WITHOUT ROWID
    """
  ]
}
