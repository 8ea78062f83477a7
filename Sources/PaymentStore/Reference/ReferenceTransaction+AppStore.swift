import PaymentModel
import PaymentVocabulary

/// What Apple is to be asked or told, receipts, and how far histories are read.
extension ReferenceTransaction {
  // MARK: questions

  func appStoreErrand(_ purpose: AppStoreErrand.Purpose, about payment: PaymentKey) throws -> AppStoreErrand? {
    try proceed()
    return rows.errands[.init(payment: payment, purpose: purpose)]
  }

  func appStoreErrands(dueAt now: Timestamp, limit: Int) throws -> [AppStoreErrand] {
    try proceed()
    return rows.errands.values
      .filter { $0.dueAt <= now }
      .sorted {
        ($0.dueAt, $0.payment, $0.purpose.rawValue) < ($1.dueAt, $1.payment, $1.purpose.rawValue)
      }
      .limited(to: limit)
  }

  func nextAppStoreErrand() throws -> Timestamp? {
    try proceed()
    return rows.errands.values.lazy.map(\.dueAt).min()
  }

  func receipt(digest: String) throws -> String? {
    try proceed()
    return rows.receipts[ExactText(digest)]
  }

  func appStoreHistory(of customer: PaymentKey) throws -> AppStoreHistory? {
    try proceed()
    return rows.histories[customer]
  }

  func appStoreHistories(dueAt now: Timestamp, in realm: Realm, limit: Int) throws -> [AppStoreHistory] {
    try proceed()
    return rows.histories.values
      .filter { $0.customer.realm == realm && $0.dueAt <= now }
      .sorted { ($0.dueAt, $0.customer) < ($1.dueAt, $1.customer) }
      .limited(to: limit)
  }

  // MARK: writes

  func put(_ errand: AppStoreErrand) throws {
    try proceed()
    set(\.errands, .init(payment: errand.payment, purpose: errand.purpose), errand)
  }

  func remove(_ purpose: AppStoreErrand.Purpose, about payment: PaymentKey) throws {
    try proceed()
    remove(\.errands, .init(payment: payment, purpose: purpose))
  }

  func keepReceipt(_ text: String, digest: String, at moment: Timestamp) throws {
    try proceed()
    try require(digest.utf8.count == 64, "A receipt's digest has 64 digits.")
    guard rows.receipts[ExactText(digest)] == nil else { return }
    set(\.receipts, ExactText(digest), text)
  }

  func put(_ history: AppStoreHistory) throws {
    try proceed()
    set(\.histories, history.customer, history)
  }
}
