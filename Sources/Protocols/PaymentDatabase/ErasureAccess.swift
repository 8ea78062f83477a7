package import PaymentModel
package import PaymentPrimitives

/// Users who were erased, or are being erased.
package protocol ErasureReader {
  /// The erasure of a user that is under way; nil if there is none.
  func erasure(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> UserErasure?
  func erasure(as alias: UserIdentifier, of app: AppIdentifier) throws -> UserErasure?
  /// Those under way, by (app, alias).
  func erasuresUnderWay(limit: Int) throws -> [UserErasure]
  /// All of them after the given one, by (app, alias).
  func erasures(after last: UserErasure?, limit: Int) throws -> [UserErasure]
  /// Users who were merged into a user, by id.
  func users(mergedInto user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [UserIdentifier]
  /// Users with orders, grants, balances, a consent, limits or shared entitlements after the given one, by id; each
  /// once, at most `limit`.
  func users(after user: UserIdentifier?, in appEnvironment: AppEnvironment, limit: Int) throws -> [UserIdentifier]
  /// Rows of a table with numbers after `number` that name a user; at most `count` numbers are looked at.
  ///
  /// - Parameter text: the user's id as JSON texts contain it.
  func rows(
    naming user: UserIdentifier, writtenAs text: String, in table: NamingTable, of appEnvironment: AppEnvironment,
    after number: Int64, count: Int
  ) throws -> NamingRows
}

/// The writes of an erasure.
package protocol ErasureWriter {
  /// Adds an erasure. Unique: (app, alias); its user in the app while it is under way.
  func insert(_ erasure: UserErasure) throws
  /// Replaces an erasure by (app, alias), except the time when it began; a missing one fails with `inconsistent`.
  func update(_ erasure: UserErasure) throws
  /// Gives the user's orders, payments and bookings to the alias, at most `limit` of each. All rows of one payment
  /// change together, and each balance with its postings.
  func rename(_ renaming: UserRenaming, limit: Int) throws -> RenamedRows
  /// The same for payments and entries of the journal that name the user.
  func rename(_ renaming: UserRenaming, in rows: NamingRows) throws
  /// Forgets or renames what is left of the user beside orders, payments and bookings: shared entitlements, claims,
  /// consent, limits, known users, merges, complaints, approvals, and balances of zero.
  func forgetRest(_ renaming: UserRenaming) throws
}
