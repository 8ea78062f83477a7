import PaymentModel
import PaymentPrimitives

/// App Store tasks, receipts, and how far histories are read.
extension InMemoryTransaction {
  // MARK: questions

  func appStoreTask(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws -> AppStoreTask? {
    try proceed()
    return rows.appStoreTasks[.init(payment: payment, purpose: purpose)]
  }

  func appStoreTasks(dueAt now: Timestamp, limit: Int) throws -> [AppStoreTask] {
    try proceed()
    return rows.appStoreTaskTimes.all.prefix { $0.at <= now }.limited(to: limit).compactMap {
      rows.appStoreTasks[$0.key]
    }
  }

  func nextAppStoreTask() throws -> Timestamp? {
    try proceed()
    return rows.appStoreTaskTimes.all.first?.at
  }

  func receipt(digest: String) throws -> String? {
    try proceed()
    return rows.receipts[ExactText(digest)]
  }

  func appStoreHistory(of customer: PaymentKey) throws -> AppStoreHistory? {
    try proceed()
    return rows.histories[customer]
  }

  func appStoreHistories(dueAt now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws
    -> [AppStoreHistory]
  {
    try proceed()
    let times = rows.historyTimes
    let first = PlaceInTime(appEnvironment: appEnvironment, at: Timestamp(milliseconds: .min), customer: nil)
    return times.all[times.count(before: first)...].lazy
      .prefix { $0.appEnvironment == appEnvironment && $0.at <= now }
      .limited(to: limit)
      .compactMap { $0.customer.flatMap { rows.histories[$0] } }
  }

  // MARK: writes

  func put(_ appStoreTask: AppStoreTask) throws {
    try proceed()
    let key = InMemoryRows.AppStoreTaskKey(payment: appStoreTask.payment, purpose: appStoreTask.purpose)
    move(\.appStoreTaskTimes, from: time(of: key), to: Moment(at: appStoreTask.dueAt, key: key))
    set(\.appStoreTasks, key, value: appStoreTask)
  }

  func remove(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws {
    try proceed()
    let key = InMemoryRows.AppStoreTaskKey(payment: payment, purpose: purpose)
    move(\.appStoreTaskTimes, from: time(of: key), to: nil)
    remove(\.appStoreTasks, key)
  }

  private func time(of key: InMemoryRows.AppStoreTaskKey) -> Moment<InMemoryRows.AppStoreTaskKey>? {
    rows.appStoreTasks[key].map { Moment(at: $0.dueAt, key: key) }
  }

  func keepReceipt(_ text: String, digest: String, at moment: Timestamp) throws {
    try proceed()
    try require(digest.utf8.count == 64, "A receipt's digest has 64 digits.")
    let shown = rows.receiptTimes[ExactText(digest)]
    if shown.map({ $0 < moment - DatabaseLimits.receiptShownAgain }) ?? true {
      set(\.receiptTimes, ExactText(digest), value: moment)
    }
    guard rows.receipts[ExactText(digest)] == nil else { return }
    set(\.receipts, ExactText(digest), value: text)
  }

  func put(_ history: AppStoreHistory) throws {
    try proceed()
    move(\.historyTimes, from: rows.histories[history.customer].map(place(of:)), to: place(of: history))
    set(\.histories, history.customer, value: history)
  }

  private func place(of history: AppStoreHistory) -> PlaceInTime {
    PlaceInTime(appEnvironment: history.customer.appEnvironment, at: history.dueAt, customer: history.customer)
  }
}
