import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// What happened by the hour.
extension SQLTransaction {
  func hourlyTotals(in hours: Range<Int64>, of appEnvironment: AppEnvironment) throws -> [HourlyTotal] {
    try all(
      HourlyTotalSQL.totals,
      {
        $0.add(appEnvironment)
        $0.add(hours.lowerBound)
        $0.add(hours.upperBound)
      },
      { row in
        let hour = row.integer()
        let what = row.text()
        let key = HourlyTotal.Key(appEnvironment, hour: hour, what: what, currency: row.text())
        let count = row.integer()
        return HourlyTotal(key, count: count, amount: row.integer())
      })
  }

  func countedRows(
    of table: CountedTable, after number: Int64, upTo end: Int64, limit: Int
  ) throws -> CountedBlock {
    let sql = HourlyTotalSQL.statements(for: table)
    let number = max(0, number)
    let last =
      try first(
        sql.lastOfBlock,
        {
          $0.add(number)
          $0.add(end)
          $0.add(max(0, limit))
        }, { $0.optionalInteger() }
      ) ?? nil
    let next = try firstCountedRow(of: table, from: (last ?? number) + 1)
    let hasMore = next.map { $0.number <= end } ?? false
    guard let last else { return CountedBlock(rows: [], last: nil, hasMore: hasMore) }
    let rows = try all(
      sql.rows,
      {
        $0.add(number)
        $0.add(last)
      }, table == .journal ? HourlyTotalSQL.readEntry : HourlyTotalSQL.readDelivery)
    return CountedBlock(rows: rows, last: last, hasMore: hasMore)
  }

  func firstCountedRow(of table: CountedTable, from number: Int64) throws -> (number: Int64, at: Timestamp)? {
    try first(
      HourlyTotalSQL.statements(for: table).first, { $0.add(number) }, { ($0.integer(), $0.timestamp()) })
  }

  func openDeliveries(
    in hours: Range<Int64>, upTo number: Int64, of appEnvironment: AppEnvironment
  ) throws -> [OpenDeliveries] {
    try [(HourlyTotalSQL.pending, false), (HourlyTotalSQL.parked, true)].flatMap { sql, isParked in
      try all(
        sql,
        {
          $0.add(appEnvironment)
          $0.add(HourlyTotal.start(ofHour: hours.lowerBound))
          $0.add(HourlyTotal.start(ofHour: hours.upperBound))
          $0.add(number)
        }, { OpenDeliveries(hour: $0.integer(), isParked: isParked, count: $0.integer()) })
    }
  }

  func add(_ totals: [HourlyTotal]) throws {
    for total in totals {
      try write(HourlyTotalSQL.add) {
        $0.add(total.key.appEnvironment)
        $0.add(total.key.hour)
        $0.add(total.key.what)
        $0.add(total.key.currency)
        $0.add(total.count)
        $0.add(total.amount)
      }
    }
  }
}

/// The statements about hourly totals.
enum HourlyTotalSQL {
  struct OfTable {
    let first: SQL
    let lastOfBlock: SQL
    let rows: SQL
  }

  static func statements(for table: CountedTable) -> OfTable {
    switch table {
    case .journal: journal
    case .deliveries: deliveries
    }
  }

  /// A column of the payment that an entry tells of. As a join, PostgreSQL may look through all payments.
  private static func price(_ column: String) -> String {
    "(SELECT p.price_\(column) FROM payments AS p WHERE p.id = j.payment)"
  }

  private static let counted = HourlyTotal.counted.map { "'\($0)'" }.joined(separator: ", ")

  private static let journal = OfTable(
    first: SQL("SELECT id, at FROM journal WHERE id >= ? ORDER BY id LIMIT 1"), lastOfBlock: block(of: "journal"),
    rows: SQL(
      """
      SELECT j.app, j.environment, j.at, j.what, \(price("milliunits")), \(price("currency")) FROM journal AS j
      WHERE j.id > ? AND j.id <= ? AND j.what IN (\(counted)) ORDER BY j.id
      """))
  private static let deliveries = OfTable(
    first: SQL("SELECT id, created_at FROM deliveries WHERE id >= ? ORDER BY id LIMIT 1"),
    lastOfBlock: block(of: "deliveries"),
    rows: SQL("SELECT app, environment, created_at FROM deliveries WHERE id > ? AND id <= ? ORDER BY id"))

  private static func block(of table: String) -> SQL {
    SQL("SELECT max(id) FROM (SELECT id FROM \(table) WHERE id > ? AND id <= ? ORDER BY id LIMIT ?) AS block")
  }

  static let totals = SQL(
    """
    SELECT hour, what, currency, count, amount FROM hourly_totals
    WHERE app = ? AND environment = ? AND hour >= ? AND hour < ? ORDER BY hour, what, currency
    """)
  static let pending = open("pending", by: "deliveries_ready")
  static let parked = open("parked", by: "deliveries_parked")

  private static func open(_ state: String, by index: String) -> SQL {
    SQL(
      """
      SELECT created_at / 3600000, count(*) FROM deliveries \(hint: index)
      WHERE state = '\(state)' AND app = ? AND environment = ? AND created_at >= ? AND created_at < ? AND id <= ?
      GROUP BY created_at / 3600000 ORDER BY created_at / 3600000
      """)
  }

  static let add = SQL(
    """
    INSERT INTO hourly_totals (app, environment, hour, what, currency, count, amount) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (app, environment, hour, what, currency) DO UPDATE SET count = hourly_totals.count + excluded.count,
      amount = \(.least)(hourly_totals.amount + excluded.amount, \("\(HourlyTotal.amountMax)"))
    """)

  static let all =
    [totals, pending, parked, add]
    + CountedTable.allCases.flatMap { table in
      let sql = statements(for: table)
      return [sql.first, sql.lastOfBlock, sql.rows]
    }

  static func readEntry(_ row: inout Columns) throws -> CountedRow {
    let appEnvironment = try row.appEnvironment()
    let moment = row.timestamp()
    let what = row.text()
    let (milliunits, currency) = (row.optionalInteger(), row.optionalText())
    let price = milliunits.flatMap { amount in currency.map { StatedPrice(milliunits: amount, currency: $0) } }
    return CountedRow(what, in: appEnvironment, at: moment, price: price)
  }

  static func readDelivery(_ row: inout Columns) throws -> CountedRow {
    let appEnvironment = try row.appEnvironment()
    return CountedRow(HourlyTotal.deliveryMade, in: appEnvironment, at: row.timestamp(), price: nil)
  }
}
