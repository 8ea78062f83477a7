public import PaymentVocabulary

/// How far the comparison of our ledger with one store's bill of one day is: so that a schedule knows what is left, and
/// a kill costs nothing.
public struct ReconciliationRecord: Hashable, Sendable {
  /// The app and environment.
  public let realm: Realm
  /// Whose bill.
  public let store: Store
  /// The store's day: `2025-10-09`, at WeChat Pay a Beijing day.
  public let day: String
  /// When it was last tried.
  public var triedAt: Timestamp
  /// When it was last compared to the end, with nothing left that a later try may put right; nil while it was not.
  public var doneAt: Timestamp?
  /// The report of the last comparison as JSON text; nil while there is none.
  public var report: String?

  /// A record of a day.
  public init(realm: Realm, store: Store, day: String, triedAt: Timestamp) {
    self.realm = realm
    self.store = store
    self.day = day
    self.triedAt = triedAt
  }
}
