import PaymentModel
package import PaymentPrimitives

/// A line of the list of erasures. It holds no id of a user.
package struct ListedErasure: Hashable, Sendable {
  package let app: AppIdentifier
  package let alias: UserIdentifier
  package let begunAt: Timestamp

  package init(app: AppIdentifier, alias: UserIdentifier, begunAt: Timestamp) {
    self.app = app
    self.alias = alias
    self.begunAt = begunAt
  }

  init(_ erasure: UserErasure) { self.init(app: erasure.app, alias: erasure.alias, begunAt: erasure.begunAt) }
}

/// The list of erasures outside the database (record 302). A backup restores an erased user; the list does not change
/// with it.
package protocol ErasureList: Sendable {
  /// All lines; none if there is no list yet.
  func read() async throws -> [ListedErasure]
  /// Adds lines, so that no power failure loses them.
  func append(_ erasures: [ListedErasure]) async throws
}
