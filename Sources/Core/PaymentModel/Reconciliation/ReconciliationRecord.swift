package import PaymentPrimitives

/// The progress of comparing our ledger with one store's bill of one day. A schedule knows from it what is left, and a
/// crash loses nothing.
package struct ReconciliationRecord: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  package let store: Store
  /// The store's day, such as `2025-10-09`; for WeChat Pay a Beijing day.
  package let day: String
  package var triedAt: Timestamp
  /// When the last comparison finished without anything for a retry; nil if none did.
  package var doneAt: Timestamp?
  /// The report of the last comparison as JSON text; nil if there is none.
  package var report: String?

  package init(appEnvironment: AppEnvironment, store: Store, day: String, triedAt: Timestamp) {
    self.appEnvironment = appEnvironment
    self.store = store
    self.day = day
    self.triedAt = triedAt
  }
}
