import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Bookings, the list of a balance's postings, and sums over users.
extension SQLTransaction {
  // MARK: Queries

  func entries(
    of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment, before number: Int64?, limit: Int
  ) throws -> [LedgerEntry] {
    func page(_ sql: SQL) throws -> [LedgerEntry] {
      try all(
        sql,
        {
          $0.add(appEnvironment)
          $0.add(user)
          $0.add(unit)
          $0.add(number ?? .max)
          $0.add(max(0, limit))
        }, WalletSQL.readEntry)
    }
    let received = try page(WalletSQL.entriesReceived)
    let given = try page(WalletSQL.entriesGiven)
    // A posting from a user to the same user is on both sides.
    let others = given.filter { entry in !received.contains { $0.number == entry.number } }
    return Array((received + others).sorted { $0.number > $1.number }.prefix(max(0, limit)))
  }

  func booking(_ key: String, in appEnvironment: AppEnvironment) throws -> Booking? {
    try first(
      WalletSQL.booking,
      {
        $0.add(appEnvironment)
        $0.add(key)
      },
      { row in
        guard let booking = try WalletSQL.readBooking(appEnvironment, &row) else { throw row.damage("a booking") }
        return booking
      })
  }

  func hasBookings(in appEnvironment: AppEnvironment) throws -> Bool {
    try first(WalletSQL.anyBooking, { $0.add(appEnvironment) }, { $0.integer() }) != nil
  }

  func ledgerSums(of app: AppIdentifier?) throws -> [LedgerSum] {
    func sums(_ all: SQL, _ ofApp: SQL) throws -> [(appEnvironment: AppEnvironment, unit: UnitName, sum: Int64)] {
      try self.all(
        app == nil ? all : ofApp, { if let app { $0.add(app) } },
        { row in
          let appEnvironment = try row.appEnvironment()
          let unit: UnitName = row.identifier()
          let received = row.integer() << 32 &+ row.integer()
          return (appEnvironment, unit, received &- (row.integer() << 32 &+ row.integer()))
        })
    }
    var found: [LedgerSum] = []
    func note(_ appEnvironment: AppEnvironment, _ unit: UnitName, _ change: (inout LedgerSum) -> Void) {
      let index = found.firstIndex { $0.appEnvironment == appEnvironment && $0.unit == unit } ?? found.endIndex
      if index == found.endIndex {
        found.append(LedgerSum(appEnvironment: appEnvironment, unit: unit, balances: 0, otherAccounts: 0))
      }
      change(&found[index])
    }
    for row in try sums(WalletSQL.sumOfBalances, WalletSQL.sumOfBalancesOfApp) {
      note(row.appEnvironment, row.unit) { $0.balances = row.sum }
    }
    for row in try sums(WalletSQL.sumOfAccounts, WalletSQL.sumOfAccountsOfApp) {
      note(row.appEnvironment, row.unit) { $0.otherAccounts = row.sum }
    }
    return found.sorted { ($0.appEnvironment, $0.unit) < ($1.appEnvironment, $1.unit) }
  }

  func refundRatio(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> RefundRatio {
    try first(
      WalletSQL.refundRatio,
      {
        $0.add(appEnvironment)
        $0.add(user)
      }, { RefundRatio(granted: $0.int(), refunded: $0.int(), refundedWholly: $0.int()) })
      ?? RefundRatio(granted: 0, refunded: 0, refundedWholly: 0)
  }

  func consumptionConsent(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> ConsumptionConsent? {
    try first(
      WalletSQL.consent,
      {
        $0.add(appEnvironment)
        $0.add(user)
      }, { ConsumptionConsent(appEnvironment: appEnvironment, user: user, isGiven: $0.flag(), at: $0.timestamp()) })
  }

  // MARK: Writes

  func insert(_ booking: Booking) throws {
    let number = try insertedRow(WalletSQL.insertBooking) {
      $0.add(booking.appEnvironment)
      $0.add(booking.key)
      $0.add(booking.user)
      $0.add(booking.unit)
      $0.add(booking.kind.rawValue)
      $0.add(booking.amount)
      $0.add(booking.requestDigest)
      $0.add(booking.reason)
      $0.add(booking.metadata)
      $0.add(booking.at)
    }
    try insert(booking.posting, payment: nil, booking: number)
  }

  func freezeBalance(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws {
    try write(WalletSQL.freeze) {
      $0.add(now)
      $0.add(appEnvironment)
      $0.add(user)
      $0.add(unit)
    }
  }

  func put(_ consent: ConsumptionConsent) throws {
    try write(WalletSQL.putConsent) {
      $0.add(consent.appEnvironment)
      $0.add(consent.user)
      $0.add(consent.isGiven)
      $0.add(consent.at)
    }
  }
}

enum WalletSQL {
  private static let bookingColumns =
    "b.booking_key, b.user_id, b.unit, b.kind, b.amount, b.request_digest, b.reason, b.metadata, b.at"

  private static func entries(_ index: String, _ account: String) -> SQL {
    SQL(
      """
      SELECT p.id, p.app, p.environment, p.unit, p.debit_user, p.debit_account, p.credit_user, p.credit_account,
        p.amount, p.cause, p.at, k.app, k.store, k.environment, k.transaction_id, \(bookingColumns)
      FROM postings AS p \(hint: index)
      LEFT JOIN payment_keys AS k ON k.id = p.payment LEFT JOIN bookings AS b ON b.id = p.booking
      WHERE p.app = ? AND p.environment = ? AND p.\(account) = ? AND p.unit = ? AND p.id < ?
      ORDER BY p.id DESC LIMIT ?
      """)
  }

  static let entriesReceived = entries("postings_to_user", "credit_user")
  static let entriesGiven = entries("postings_from_user", "debit_user")
  static let booking = SQL(
    "SELECT \(bookingColumns) FROM bookings AS b WHERE b.app = ? AND b.environment = ? AND b.booking_key = ?")
  static let anyBooking = SQL("SELECT 1 FROM bookings WHERE app = ? AND environment = ? LIMIT 1")
  static let insertBooking = SQL(
    """
    INSERT INTO bookings (
      app, environment, booking_key, user_id, unit, kind, amount, request_digest, reason, metadata, at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \(.returningNumber)
    """)
  static let freeze = SQL(
    """
    UPDATE balances SET frozen_since = ?
    WHERE app = ? AND environment = ? AND user_id = ? AND unit = ? AND amount < 0 AND frozen_since IS NULL
    """)

  // The halves of each amount are summed separately, so that no sum leaves the range of 64 bits.
  private static func sumOfBalances(_ condition: String) -> SQL {
    SQL(
      """
      SELECT app, environment, unit,
        CAST(sum(amount >> 32) AS bigint), CAST(sum(amount & 4294967295) AS bigint), 0, 0
      FROM balances \(condition) GROUP BY app, environment, unit
      """)
  }

  private static func sumOfAccounts(_ condition: String) -> SQL {
    SQL(
      """
      SELECT app, environment, unit,
        CAST(coalesce(sum(amount >> 32) FILTER (WHERE credit_user IS NULL), 0) AS bigint),
        CAST(coalesce(sum(amount & 4294967295) FILTER (WHERE credit_user IS NULL), 0) AS bigint),
        CAST(coalesce(sum(amount >> 32) FILTER (WHERE debit_user IS NULL), 0) AS bigint),
        CAST(coalesce(sum(amount & 4294967295) FILTER (WHERE debit_user IS NULL), 0) AS bigint)
      FROM postings \(condition) GROUP BY app, environment, unit
      """)
  }

  static let sumOfBalances = sumOfBalances("")
  static let sumOfBalancesOfApp = sumOfBalances("WHERE app = ?")
  static let sumOfAccounts = sumOfAccounts("")
  static let sumOfAccountsOfApp = sumOfAccounts("WHERE app = ?")
  static let refundRatio = SQL(
    """
    SELECT count(*), count(*) FILTER (WHERE taken_back > 0),
      count(*) FILTER (WHERE taken_back >= coalesce(amount, 1))
    FROM grants \(hint: "grants_of_user") WHERE app = ? AND environment = ? AND user_id = ?
    """)
  static let consent = SQL(
    "SELECT is_given, at FROM consumption_consents WHERE app = ? AND environment = ? AND user_id = ?")
  static let putConsent = SQL(
    """
    INSERT INTO consumption_consents (app, environment, user_id, is_given, at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (app, environment, user_id) DO UPDATE SET is_given = excluded.is_given, at = excluded.at
    """)

  static let all = [
    entriesReceived, entriesGiven, booking, anyBooking, insertBooking, freeze, sumOfBalances,
    sumOfBalancesOfApp,
    sumOfAccounts, sumOfAccountsOfApp, refundRatio, consent, putConsent,
  ]

  static func readEntry(_ row: inout Columns) throws -> LedgerEntry {
    let number = row.integer()
    let appEnvironment = try row.appEnvironment()
    let unit: UnitName = row.identifier()
    let debit = try SQLTransaction.account(&row)
    let credit = try SQLTransaction.account(&row)
    let amount = row.integer()
    let cause = row.text()
    let at = row.timestamp()
    let payment = try row.optionalPaymentKey()
    let booking = try readBooking(appEnvironment, &row)
    let source: Posting.Source
    if let payment {
      source = .payment(payment, cause: cause)
    } else if let booking {
      source = .booking(key: booking.key, booking.kind)
    } else {
      throw row.damage("where a posting comes from")
    }
    return LedgerEntry(
      number: number,
      posting: Posting(
        appEnvironment: appEnvironment, unit: unit, debit: debit, credit: credit, amount: amount, source: source, at: at
      ),
      booking: booking)
  }

  /// A booking in columns that may all be null together.
  static func readBooking(_ appEnvironment: AppEnvironment, _ row: inout Columns) throws -> Booking? {
    let key = row.optionalText()
    let user: UserIdentifier? = row.optionalIdentifier()
    let unit: UnitName? = row.optionalIdentifier()
    let kind = row.optionalText()
    let amount = row.optionalInteger()
    let digest = row.optionalText()
    let reason = row.optionalText()
    let metadata = row.optionalText()
    let at = row.optionalTimestamp()
    guard let key else { return nil }
    guard let user, let unit, let kind = kind.flatMap({ Booking.Kind(rawValue: $0) }), let amount, let digest, let at
    else { throw row.damage("a booking") }
    var booking = Booking(
      appEnvironment: appEnvironment, key: key, user: user, unit: unit, kind: kind, amount: amount,
      requestDigest: digest, at: at)
    booking.reason = reason
    booking.metadata = metadata
    return booking
  }
}
