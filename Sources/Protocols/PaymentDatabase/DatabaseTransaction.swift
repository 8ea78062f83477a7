package import PaymentModel
package import PaymentPrimitives

/// The writes. They may be queued: a violated unique key causes a `DatabaseConflict` here, at a later read, or at the
/// end. After a conflict the database runs the closure again, and its reads then find the conflicting row.
///
/// A row must exist before its dependent rows: the payment before its grant, changes, postings and deliveries. An
/// update needs an existing row. Otherwise the write fails with `DatabaseErrorCode.inconsistent`. An impossible row
/// fails in the same way:
/// - an order, grant, change or posting of less than one piece;
/// - a grant with more taken back than given;
/// - a delivery without a number from 1.
package protocol DatabaseTransaction: WorkTaking, OperatorAccessWriter, ComplaintWriter,
  PromotionalEntitlementWriter, ErasureWriter, RetentionWriter, HourlyTotalWriter
{
  /// Whether this run of the closure has written anything.
  var hasWritten: Bool { get }

  /// Adds an order. Unique: its key; its reference (by a backend: in the app environment; by an app: for the user);
  /// its idempotency key.
  func insert(_ order: Order) throws
  /// Replaces an order by its key: its state, expiry, approval, last verdict and frozen reason. The promise of an
  /// order never changes: an update that differs in anything else fails with `inconsistent`.
  func update(_ order: Order) throws
  /// Gives an order to another user. Its promise stays the same otherwise, apart from the app's own number if that is
  /// not kept.
  ///
  /// - Parameters:
  ///   - order: the order as it was read. `inconsistent` if the stored one is missing or another user's.
  ///   - keepsReference: false if the other user has an order with that number of the app.
  func move(_ order: Order, to user: UserIdentifier, keepsReference: Bool) throws

  /// Adds the WeChat Pay data of an order. Unique: its order, which must exist.
  func insert(_ order: WeChatPayOrder) throws
  /// Replaces it: its state, handle and question. A different promise fails with `inconsistent`.
  func update(_ order: WeChatPayOrder) throws
  /// Adds a refund. Unique: its number in the app environment. Its payment must exist.
  func insert(_ refund: Refund) throws
  /// Replaces a refund: its state, the store's number, its newest date and question. Any other difference fails with
  /// `inconsistent`.
  func update(_ refund: Refund) throws
  /// Adds or replaces the record of a day.
  func put(_ record: ReconciliationRecord) throws
  /// Adds an App Store task; it replaces a task of the same purpose.
  func put(_ appStoreTask: AppStoreTask) throws
  /// Removes a finished App Store task.
  func remove(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws
  /// Keeps the text of a receipt under its digest (the SHA-256 of its text, 64 hexadecimal digits). A repeat changes
  /// only when it was last shown, to the day.
  func keepReceipt(_ text: String, digest: String, at moment: Timestamp) throws
  /// Records how far a customer's history has been read.
  func put(_ history: AppStoreHistory) throws

  /// Records that Apple named a payment for an order number of its receipts; a repeat changes nothing.
  func noteOrderNumber(_ number: String, of payment: PaymentKey, at moment: Timestamp) throws

  /// Adds a payment. Unique: its key; its order, if it has one.
  func insert(_ payment: Payment) throws
  /// Replaces a payment by its key. Unique: its order, if it has one. So an order is removed from one payment before
  /// another payment gets it.
  func update(_ payment: Payment) throws
  /// Adds a duplicate. Unique: its key.
  func insert(_ duplicate: DuplicateTransaction) throws
  /// Replaces the kept data of a duplicate id; its subscription stays. `inconsistent` if it is missing.
  func update(_ duplicate: DuplicateTransaction) throws
  /// Removes a duplicate: from now on its id is a payment of its own.
  func removeDuplicate(_ key: PaymentKey) throws
  /// Adds evidence, also for a payment that is not kept yet; nothing removes it.
  func insert(_ evidence: Evidence) throws
  /// Adds a stopped change, or replaces it by (payment, statement).
  func put(_ stopped: StoppedChange) throws
  /// Removes a stopped change that has taken effect or is no longer needed; a missing one changes nothing.
  func remove(_ stopped: StoppedChange) throws
  /// Adds a subscription or replaces it by its key.
  func put(_ subscription: Subscription) throws
  /// Shares another user's entitlement, identified by its first payment, with a user; a repeat changes nothing.
  func share(_ original: PaymentKey, with user: UserIdentifier, at moment: Timestamp) throws
  /// Records that an exact match found this user for an `appTransactionId`; a repeat changes nothing.
  func noteUser(
    _ user: UserIdentifier, ofAppTransaction identifier: String, in appEnvironment: AppEnvironment
  ) throws
  /// Records a claim that counts towards the user's daily claims.
  func noteClaim(by user: UserIdentifier, of payment: PaymentKey, at moment: Timestamp) throws
  /// Adds transactions to the earlier system's list of deliveries; existing ones stay.
  func noteEarlierDeliveries(
    _ transactions: [TransactionIdentifier], at store: Store, in appEnvironment: AppEnvironment
  ) throws
  /// Sets until when the list contains every delivery; nil means that it is incomplete and decides nothing.
  func setEarlierListReach(_ reach: Timestamp?, at store: Store, in appEnvironment: AppEnvironment) throws
  /// Adds the earlier system's owner of a transaction. Unique: its key.
  func insert(_ owner: ImportedOwner) throws

  /// Adds a grant. Unique: its payment.
  func insert(_ grant: Grant) throws
  /// Replaces a grant by its payment.
  func update(_ grant: Grant) throws
  /// Adds a change of a grant. Unique: (payment, kind, cause).
  func insert(_ change: GrantChange) throws
  /// Adds a posting of a payment and changes the balances of its users. A balance that is back at zero or above is no
  /// longer frozen. Unique: (payment, cause). Errors: `balanceOutOfRange` if a balance would leave 64 bits;
  /// `inconsistent` for an amount of 0 or less, and for the posting of a booking.
  func insert(_ posting: Posting) throws
  /// Adds a booking with its posting. Unique: its key in the app environment.
  func insert(_ booking: Booking) throws
  /// Freezes a balance that is below zero. Any other balance, and one that is already frozen, stays as it is.
  func freezeBalance(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws
  /// Records that a user was merged into another one. Unique: the user in the app environment.
  func insert(_ merge: UserMerge) throws
  /// Adds a spending limit, or replaces it by (user, currency).
  func put(_ limit: SpendingLimit) throws
  /// Adds or replaces a user's consent.
  func put(_ consent: ConsumptionConsent) throws

  /// Adds a notification. Unique: (app environment, id).
  func insert(_ notification: ReceivedNotification) throws
  /// Records that a kept notification has taken effect; a missing one fails with `inconsistent`.
  func noteEffect(of notification: String, in appEnvironment: AppEnvironment) throws
  /// Adds a delivery. Unique: its id; (payment, sequence).
  func insert(_ delivery: Delivery) throws
  /// Replaces a delivery by its id; a difference in a constant field fails with `inconsistent`.
  func update(_ delivery: Delivery) throws
  /// Adds a failed attempt of a delivery, which must exist. Unique: (delivery, number). Only the newest
  /// `DeliveryAttempt.keptMax` stay.
  func insert(_ attempt: DeliveryAttempt) throws
  /// Adds a forward. Unique: (app environment, notification); the notification must exist.
  func insert(_ forward: NotificationForward) throws
  /// Replaces a forward; a missing one fails with `inconsistent`, and so does a different body.
  func update(_ forward: NotificationForward) throws
  /// Adds a claim that waits with a payment; nothing changes or removes it.
  func insert(_ claim: KeptClaim) throws
  /// Adds an entry to the journal; nothing changes or removes it.
  func insert(_ entry: JournalEntry) throws

  /// Adds a phone's report to the counts of its day, and forgets those of its app environment that are older than
  /// `PhoneReport.remembered`. Unique: its id in the app environment. A count of zero or less is `inconsistent`.
  func insert(_ report: PhoneReport) throws
  /// Adds a key. Unique: its id.
  func insert(_ key: APIKey) throws
  /// Replaces a key by its id; any difference except its revocation fails with `inconsistent`.
  func update(_ key: APIKey) throws
  /// Makes work that waits beyond `now` due now, the earliest first, and ends its leases. A clock that was ahead had
  /// planned it. App Store tasks, histories and subscriptions stay unchanged if the current clock may have planned
  /// them.
  ///
  /// - Returns: how many were changed; less than the limit once none is left.
  func bringForward(_ work: WaitingWork, limit: Int) throws -> Int
  /// Sets a setting of the installation.
  func set(_ name: String, to value: String) throws
}
