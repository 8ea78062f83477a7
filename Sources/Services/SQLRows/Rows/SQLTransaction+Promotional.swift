import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Entitlements that were given without a payment.
extension SQLTransaction {
  func promotionalEntitlement(_ key: String, in appEnvironment: AppEnvironment) throws -> PromotionalEntitlement? {
    try first(
      PromotionalSQL.byKey,
      {
        $0.add(appEnvironment)
        $0.add(key)
      }, PromotionalSQL.read)
  }

  func promotionalEntitlements(
    of user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [PromotionalEntitlement] {
    try all(
      PromotionalSQL.ofUser,
      {
        $0.add(appEnvironment)
        $0.add(user)
        $0.add(max(0, limit))
      }, PromotionalSQL.read)
  }

  func countOfPromotionalEntitlements(
    givenIn range: Range<Timestamp>, in appEnvironment: AppEnvironment
  ) throws -> [PromotionalCount] {
    try all(
      PromotionalSQL.counts,
      {
        $0.add(appEnvironment)
        $0.add(range.lowerBound)
        $0.add(range.upperBound)
      }, { row in PromotionalCount(row.identifier(), given: row.int(), revoked: row.int()) })
  }

  func insert(_ promotional: PromotionalEntitlement) throws {
    try write(PromotionalSQL.insert) {
      $0.add(promotional.end?.at)
      $0.add(promotional.end?.reason)
      $0.add(promotional.end?.by)
      $0.add(promotional.user)
      Self.bindConstants(of: promotional, &$0)
    }
  }

  func update(_ promotional: PromotionalEntitlement) throws {
    try write(PromotionalSQL.update) {
      $0.add(promotional.end?.at)
      $0.add(promotional.end?.reason)
      $0.add(promotional.end?.by)
      $0.add(promotional.user)
      Self.bindConstants(of: promotional, &$0)
      $0.add(promotional.end?.at)
      $0.add(promotional.end?.reason)
      $0.add(promotional.end?.by)
    }
    try requireOneRowChanged(
      "A promotional entitlement is missing or differs in more than its user and its end.")
  }

  private static func bindConstants(of promotional: PromotionalEntitlement, _ row: inout Parameters) {
    row.add(promotional.appEnvironment)
    row.add(promotional.key)
    row.add(promotional.entitlement)
    row.add(promotional.givenAt)
    row.add(promotional.until)
    row.add(promotional.reason)
    row.add(promotional.givenBy)
    row.add(promotional.requestDigest)
  }
}

/// The statements about promotional entitlements.
enum PromotionalSQL {
  private static let columns = """
    app, environment, promotional_key, user_id, entitlement, given_at, ends_at, reason, given_by, request_digest,
    revoked_at, revoke_reason, revoked_by
    """
  static let byKey = SQL(
    """
    SELECT \(columns) FROM promotional_entitlements WHERE app = ? AND environment = ? AND promotional_key = ?
    """)
  static let ofUser = SQL(
    """
    SELECT \(columns) FROM promotional_entitlements \(hint: "promotional_of_user")
    WHERE \(listed: "promotional_entitlements") AND user_id = ? ORDER BY ends_at DESC, promotional_key DESC LIMIT ?
    """)
  static let counts = SQL(
    """
    SELECT entitlement, COUNT(*), COUNT(revoked_at) FROM promotional_entitlements \(hint: "promotional_given")
    WHERE \(listed: "promotional_entitlements") AND given_at >= ? AND given_at < ?
    GROUP BY entitlement ORDER BY entitlement
    """)
  static let insert = SQL(
    """
    INSERT INTO promotional_entitlements
      (revoked_at, revoke_reason, revoked_by, user_id, app, environment, promotional_key, entitlement, given_at,
      ends_at, reason, given_by, request_digest)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let update = SQL(
    """
    UPDATE promotional_entitlements SET revoked_at = ?, revoke_reason = ?, revoked_by = ?, user_id = ?
    WHERE app = ? AND environment = ? AND promotional_key = ? AND entitlement = ? AND given_at = ? AND ends_at = ?
      AND reason = ? AND given_by = ? AND request_digest = ?
      AND (revoked_at IS NULL
        OR (revoked_at \(.isSame) ? AND revoke_reason \(.isSame) ? AND revoked_by \(.isSame) ?))
    """)

  static let all = [byKey, ofUser, counts, insert, update]

  static func read(_ row: inout Columns) throws -> PromotionalEntitlement {
    let appEnvironment = try row.appEnvironment()
    let key = row.text()
    let user: UserIdentifier = row.identifier()
    let entitlement: EntitlementName = row.identifier()
    let givenAt = row.timestamp()
    let until = row.timestamp()
    let reason = row.text()
    let givenBy = row.text()
    var promotional = PromotionalEntitlement(
      appEnvironment: appEnvironment, key: key, user: user, entitlement: entitlement, givenAt: givenAt, until: until,
      reason: reason, givenBy: givenBy, requestDigest: row.text())
    let (endedAt, why, by) = (row.optionalTimestamp(), row.optionalText(), row.optionalText())
    if let endedAt { promotional.end = PromotionalEntitlement.End(at: endedAt, reason: why ?? "", by: by ?? "") }
    return promotional
  }
}
