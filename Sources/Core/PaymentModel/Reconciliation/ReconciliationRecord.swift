package import PaymentPrimitives

/// How far the comparison of our ledger with one store's bill of one day is: so that a schedule knows what is left, and
/// a kill costs nothing.
package struct ReconciliationRecord: Hashable, Sendable {
  package let realm: AppEnvironment
  package let store: Store
  /// The store's day: `2025-10-09`, at WeChat Pay a Beijing day.
  package let day: String
  package var triedAt: Timestamp
  /// When it was last compared to the end, with nothing left that a later try may put right; nil while it was not.
  package var doneAt: Timestamp?
  /// The report of the last comparison as JSON text; nil while there is none.
  package var report: String?

  package init(realm: AppEnvironment, store: Store, day: String, triedAt: Timestamp) {
    self.realm = realm
    self.store = store
    self.day = day
    self.triedAt = triedAt
  }
}
