package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  package func appStoreTask(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws -> AppStoreTask? {
    try read(.payment(payment)) { try $0.appStoreTask(purpose, about: payment) }
  }

  package func receipt(digest: String) throws -> String? {
    try read(.receipt(digest: digest)) { try $0.receipt(digest: digest) }
  }

  package func appStoreHistory(of customer: PaymentKey) throws -> AppStoreHistory? {
    try read(.customer(customer)) { try $0.appStoreHistory(of: customer) }
  }

  package func put(_ appStoreTask: AppStoreTask) throws { try write(.appStore(.putTask(appStoreTask))) }

  package func remove(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws {
    try write(.appStore(.removeTask(purpose, payment)))
  }

  package func keepReceipt(_ text: String, digest: String, at moment: Timestamp) throws {
    try write(.appStore(.keepReceipt(text, digest: digest, at: moment)))
  }

  package func put(_ history: AppStoreHistory) throws { try write(.appStore(.putHistory(history))) }

  // MARK: lists without a key

  package func appStoreTasks(dueAt now: Timestamp, limit: Int) throws -> [AppStoreTask] {
    try readWithoutKey { try $0.appStoreTasks(dueAt: now, limit: limit) }
  }

  package func nextAppStoreTask() throws -> Timestamp? { try readWithoutKey { try $0.nextAppStoreTask() } }

  package func appStoreHistories(dueAt now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws
    -> [AppStoreHistory]
  {
    try readWithoutKey { try $0.appStoreHistories(dueAt: now, in: appEnvironment, limit: limit) }
  }
}
