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
    return rows.errandTimes.all.prefix { $0.at <= now }.limited(to: limit).compactMap { rows.errands[$0.key] }
  }

  func nextAppStoreErrand() throws -> Timestamp? {
    try proceed()
    return rows.errandTimes.all.first?.at
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
    let times = rows.historyTimes
    let first = PlaceInTime(realm: realm, at: Timestamp(milliseconds: .min), customer: nil)
    return times.all[times.count(before: first)...].lazy
      .prefix { $0.realm == realm && $0.at <= now }
      .limited(to: limit)
      .compactMap { $0.customer.flatMap { rows.histories[$0] } }
  }

  // MARK: writes

  func put(_ errand: AppStoreErrand) throws {
    try proceed()
    let key = ReferenceRows.ErrandKey(payment: errand.payment, purpose: errand.purpose)
    move(\.errandTimes, from: time(of: key), to: Moment(at: errand.dueAt, key: key))
    set(\.errands, key, errand)
  }

  func remove(_ purpose: AppStoreErrand.Purpose, about payment: PaymentKey) throws {
    try proceed()
    let key = ReferenceRows.ErrandKey(payment: payment, purpose: purpose)
    move(\.errandTimes, from: time(of: key), to: nil)
    remove(\.errands, key)
  }

  private func time(of key: ReferenceRows.ErrandKey) -> Moment<ReferenceRows.ErrandKey>? {
    rows.errands[key].map { Moment(at: $0.dueAt, key: key) }
  }

  func keepReceipt(_ text: String, digest: String, at moment: Timestamp) throws {
    try proceed()
    try require(digest.utf8.count == 64, "A receipt's digest has 64 digits.")
    guard rows.receipts[ExactText(digest)] == nil else { return }
    set(\.receipts, ExactText(digest), text)
  }

  func put(_ history: AppStoreHistory) throws {
    try proceed()
    move(\.historyTimes, from: rows.histories[history.customer].map(place(of:)), to: place(of: history))
    set(\.histories, history.customer, history)
  }

  private func place(of history: AppStoreHistory) -> PlaceInTime {
    PlaceInTime(realm: history.customer.realm, at: history.dueAt, customer: history.customer)
  }
}
