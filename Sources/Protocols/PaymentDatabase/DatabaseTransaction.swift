package import PaymentModel
package import PaymentPrimitives

/// The writes. They may be queued: a unique key that is taken surfaces as `DatabaseConflict` here, at a later read, or
/// at the end. After a conflict the store runs the closure again, and its reads then find what was in the way.
///
/// A row must stand before what hangs on it: the payment before its grant, changes, postings and deliveries, and an
/// update needs the row that it replaces. Otherwise the write is refused as `DatabaseErrorCode.inconsistent`. So is a
/// row that cannot be true: an order, grant, change or posting of less than one piece, a grant of which more is taken
/// back than it gave, a delivery without a number from 1.
package protocol DatabaseTransaction: DatabaseReader {
  /// The database's clock, for leases and due times; one moment for the whole run of the closure.
  var now: Timestamp { get }
  /// Whether this run of the closure has written anything so far.
  var hasWritten: Bool { get }

  /// Adds an order. Unique: its key; its reference (by a backend: in the realm; by an app: for the user); its
  /// idempotency key.
  func insert(_ order: Order) throws
  /// Replaces an order by its key: its state, expiry, approval, last verdict and freezing. What was promised when it
  /// was made never changes: an update that differs in anything else is refused as `inconsistent`.
  func update(_ order: Order) throws

  /// Adds what stands beside an order at WeChat Pay. Unique: its order, which must be there.
  func insert(_ order: WeChatPayOrder) throws
  /// Replaces it: its state, handle and question. One that promises something else is refused as `inconsistent`.
  func update(_ order: WeChatPayOrder) throws
  /// Adds a refund. Unique: its number in the realm. Its payment must be there.
  func insert(_ refund: Refund) throws
  /// Replaces a refund: its state, the store's number, its newest date and question. One that differs in more is
  /// refused as `inconsistent`.
  func update(_ refund: Refund) throws
  /// Adds or replaces a record of a day.
  func put(_ record: ReconciliationRecord) throws
  /// Writes down what Apple is to be asked or told; what was written down for the same purpose gives way.
  func put(_ appStoreTask: AppStoreTask) throws
  /// What Apple was to be asked or told is done.
  func remove(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws
  /// Keeps the text of a receipt under its digest (the SHA-256 of its text, 64 hexadecimal digits); once is enough.
  func keepReceipt(_ text: String, digest: String, at moment: Timestamp) throws
  /// Notes how far a customer's history has been read.
  func put(_ history: AppStoreHistory) throws

  /// Adds a payment. Unique: its key; its order, if it has one.
  func insert(_ payment: Payment) throws
  /// Replaces a payment by its key. Unique: its order, if it has one; so an order is taken from one payment before it
  /// is given to another.
  func update(_ payment: Payment) throws
  /// Adds an echo. Unique: its key.
  func insert(_ echo: DuplicateTransaction) throws
  /// Replaces what is kept of a duplicate id; its line stays. `inconsistent` if it is missing.
  func update(_ echo: DuplicateTransaction) throws
  /// Removes the mark that an id repeats a payment: it stands for itself from now on.
  func removeEcho(_ key: PaymentKey) throws
  /// Adds evidence, also of a payment that is not kept yet; nothing removes it.
  func insert(_ evidence: Evidence) throws
  /// Adds a stopped change, or replaces it by (payment, statement).
  func put(_ stopped: StoppedChange) throws
  /// A stopped change has taken effect, or is not needed any more; one that is not there is no news.
  func remove(_ stopped: StoppedChange) throws
  /// Adds a line or replaces it by its key.
  func put(_ line: Subscription) throws
  /// Lets a user share a right of another, named by its first payment; again changes nothing.
  func share(_ original: PaymentKey, with user: UserIdentifier, at moment: Timestamp) throws
  /// Notes that an exact match showed this user for an `appTransactionId`; noting it again changes nothing.
  func noteUser(
    _ user: UserIdentifier, ofAppTransaction identifier: String, in realm: AppEnvironment
  ) throws
  /// Notes a claim that counts against a user's claims of the day.
  func noteClaim(by user: UserIdentifier, of payment: PaymentKey, at moment: Timestamp) throws
  /// Puts transactions on the earlier system's list of deliveries; those that are on it stay.
  func noteEarlierDeliveries(
    _ transactions: [TransactionIdentifier], at store: Store, in realm: AppEnvironment
  ) throws
  /// Says until when the list names every delivery; nil says that it is not whole, and then it decides nothing.
  func setEarlierListReach(_ reach: Timestamp?, at store: Store, in realm: AppEnvironment) throws
  /// Adds whose a transaction was. Unique: its key.
  func insert(_ owner: ImportedOwner) throws

  /// Adds a grant. Unique: its payment.
  func insert(_ grant: Grant) throws
  /// Replaces a grant by its payment.
  func update(_ grant: Grant) throws
  /// Adds a change of a grant. Unique: (payment, kind, cause).
  func insert(_ change: GrantChange) throws
  /// Adds a posting of a payment and moves the balances of the users on it; one that comes back to zero or above is no
  /// longer frozen. Unique: (payment, cause). A balance that would leave 64 bits refuses the transaction
  /// (`balanceOutOfRange`), an amount of 0 or less too (`inconsistent`), and so does the posting of a booking.
  func insert(_ posting: Posting) throws
  /// Adds a booking with its posting. Unique: its key in the realm.
  func insert(_ booking: Booking) throws
  /// Lets nothing be spent of a balance that is below zero; another one, and one that is frozen, stays as it is.
  func freezeBalance(of user: UserIdentifier, unit: UnitName, in realm: AppEnvironment) throws
  /// Adds what a user said, or replaces it.
  func put(_ consent: ConsumptionConsent) throws

  /// Adds a notification. Unique: (realm, id).
  func insert(_ notification: ReceivedNotification) throws
  /// Notes that a notification which was kept has taken effect; a missing one is refused as `inconsistent`.
  func noteEffect(of notification: String, in realm: AppEnvironment) throws
  /// Adds a delivery. Unique: its id; (payment, sequence).
  func insert(_ delivery: Delivery) throws
  /// Replaces a delivery by its id; one that differs in what never changes is refused as `inconsistent`.
  func update(_ delivery: Delivery) throws
  /// Adds a notification to be passed on. Unique: (realm, notification), which must be there.
  func insert(_ forward: NotificationForward) throws
  /// Replaces one; a missing one is refused as `inconsistent`, and so is another body than before.
  func update(_ forward: NotificationForward) throws
  /// Adds a line to the journal; nothing changes or removes it.
  func insert(_ entry: JournalEntry) throws

  /// Adds a key. Unique: its id.
  func insert(_ key: APIKey) throws
  /// Replaces a key by its id; one that differs in more than its revocation is refused as `inconsistent`.
  func update(_ key: APIKey) throws
  /// Lets work that waits beyond `now` be due now, the earliest first, and ends its leases: it was planned by a clock
  /// that stood ahead. AppStoreTasks, histories and subscriptions stay as they are where the clock of now may have
  /// planned them.
  ///
  /// - Returns: how many were changed; less than the limit once none is left.
  func bringForward(_ work: WaitingWork, limit: Int) throws -> Int
  /// Sets a setting of the installation.
  func set(_ name: String, to value: String) throws
}
