import PaymentModel
import PaymentPrimitives

/// All rows of an in-memory database, by their keys.
///
/// Texts that are keys are `ExactText`, which compares bytes. Swift's `String` would find a key under a differently
/// encoded form of the same text, and no real database does.
struct InMemoryRows: Sendable {
  typealias ExactText = Identifier<InMemoryText>

  /// The subject of an `ExactText`; never instantiated.
  enum InMemoryText {}

  /// A text that is unique in an app environment, or unique for one owner in it.
  struct ScopedText: Hashable {
    let appEnvironment: AppEnvironment
    let scope: ExactText
    let text: ExactText
  }

  struct BalanceKey: Hashable, Comparable {
    let appEnvironment: AppEnvironment
    let user: UserIdentifier
    let unit: UnitName

    static func < (a: BalanceKey, b: BalanceKey) -> Bool {
      (a.appEnvironment, a.user, a.unit) < (b.appEnvironment, b.user, b.unit)
    }
  }

  struct UnitInEnvironment: Hashable, Comparable {
    let appEnvironment: AppEnvironment
    let unit: UnitName

    static func < (a: UnitInEnvironment, b: UnitInEnvironment) -> Bool {
      (a.appEnvironment, a.unit) < (b.appEnvironment, b.unit)
    }
  }

  struct Movement {
    let amount: Int64
    let number: Int64
    let posting: Posting
  }

  struct PostingKey: Hashable {
    let payment: PaymentKey
    let cause: ExactText
  }

  struct ChangeKey: Hashable {
    let payment: PaymentKey
    let kind: GrantChange.Kind
    let cause: ExactText
  }

  struct Share: Hashable {
    let original: PaymentKey
    let user: UserIdentifier
  }

  struct DeliveryPlace: Hashable {
    let payment: PaymentKey
    let sequence: Int
  }

  struct StoppedKey: Hashable {
    let payment: PaymentKey
    let statement: ExactText
  }

  struct Claim {
    let user: UserIdentifier
    let at: Timestamp
  }

  struct EarlierList: Hashable {
    let appEnvironment: AppEnvironment
    let store: Store
  }

  struct ReconciledDay: Hashable {
    let appEnvironment: AppEnvironment
    let store: Store
    let day: ExactText
  }

  /// Where the journal tells an event.
  struct EventPlace: Hashable {
    let appEnvironment: AppEnvironment
    let name: String
  }

  struct PhoneReportKey: Hashable {
    let appEnvironment: AppEnvironment
    let id: OrderIdentifier
  }

  struct PhoneCountKey: Hashable {
    let appEnvironment: AppEnvironment
    let day: String
    let kind: String
  }

  struct ErasureKey: Hashable, Comparable {
    let app: AppIdentifier
    let alias: UserIdentifier

    static func < (a: ErasureKey, b: ErasureKey) -> Bool { (a.app, a.alias) < (b.app, b.alias) }
  }

  struct OrderNumberPlace: Hashable {
    let number: ExactText
    let payment: PaymentKey
  }

  var orders: [OrderKey: Order] = [:]
  /// Per user, in order of insertion.
  var ordersByUser: [ScopedText: [OrderKey]] = [:]
  var ordersByBackendReference: [ScopedText: OrderKey] = [:]
  var ordersByAppReference: [ScopedText: OrderKey] = [:]
  var ordersByIdempotencyKey: [ScopedText: OrderKey] = [:]
  var orderKeys = OrderedKeys<OrderKey>()
  /// The open orders that expire without a question to a store.
  var expiries = OrderedKeys<Moment<OrderKey>>()

  var weChatPayOrders: [OrderKey: WeChatPayOrder] = [:]
  /// The pending questions to WeChat Pay with their times: few, compared with all orders.
  var weChatPayQuestions = OrderedKeys<Moment<OrderKey>>()
  var refunds: [ScopedText: Refund] = [:]
  var refundsByPayment: [PaymentKey: [ScopedText]] = [:]
  var refundQuestions = OrderedKeys<Moment<PlaceInEnvironment>>()
  var complaints: [ScopedText: Complaint] = [:]
  var refundPlaces = OrderedKeys<RefundPlace>()
  var reconciliations: [ReconciledDay: ReconciliationRecord] = [:]

  struct AppStoreTaskKey: Hashable, Comparable {
    let payment: PaymentKey
    let purpose: AppStoreTask.Purpose

    static func < (a: AppStoreTaskKey, b: AppStoreTaskKey) -> Bool {
      (a.payment, a.purpose.rawValue) < (b.payment, b.purpose.rawValue)
    }
  }

  var appStoreTasks: [AppStoreTaskKey: AppStoreTask] = [:]
  var appStoreTaskTimes = OrderedKeys<Moment<AppStoreTaskKey>>()
  var receipts: [ExactText: String] = [:]
  /// When each was last shown, to the day.
  var receiptTimes: [ExactText: Timestamp] = [:]
  var histories: [PaymentKey: AppStoreHistory] = [:]
  var historyTimes = OrderedKeys<PlaceInTime>()

  var payments: [PaymentKey: Payment] = [:]
  var paymentKeys = OrderedKeys<PaymentKey>()
  var paymentsByOrder: [OrderKey: PaymentKey] = [:]
  /// By the first payment of their subscription.
  var paymentsByOriginal: [PaymentKey: Set<PaymentKey>] = [:]
  var charges = OrderedKeys<ChargePlace>()
  var duplicates: [PaymentKey: DuplicateTransaction] = [:]
  var duplicatesByOriginal: [PaymentKey: Set<PaymentKey>] = [:]
  var evidence: [PaymentKey: [Evidence]] = [:]
  var stopped: [StoppedKey: StoppedChange] = [:]
  var subscriptions: [PaymentKey: Subscription] = [:]
  var shares: [Share: Timestamp] = [:]
  var knownUsers: [ScopedText: Set<UserIdentifier>] = [:]
  var claims: [AppEnvironment: [Claim]] = [:]
  /// Until when each list contains every delivery.
  var earlierLists: [EarlierList: Timestamp] = [:]
  var earlierDeliveries: [PaymentKey: Bool] = [:]
  var importedOwners: [PaymentKey: ImportedOwner] = [:]

  var grants: [PaymentKey: Grant] = [:]
  /// The products that were ever granted.
  var promisedProducts: [PromisedProduct: Bool] = [:]
  var changes: [PaymentKey: [GrantChange]] = [:]
  var changeKeys: [ChangeKey: Bool] = [:]
  var postings: [PaymentKey: [Posting]] = [:]
  var postingKeys: [PostingKey: Bool] = [:]
  var balances: [BalanceKey: Balance] = [:]
  var balanceKeys = OrderedKeys<BalanceKey>()
  /// The changes of each balance, in order of insertion.
  var movements: [BalanceKey: [Movement]] = [:]
  /// The number of postings, which is the number of the last one.
  var postingCount: Int64 = 0
  var bookings: [ScopedText: Booking] = [:]
  /// The sums of the accounts that are not a user's.
  var otherAccounts: [UnitInEnvironment: Int64] = [:]
  var consents: [ScopedText: ConsumptionConsent] = [:]
  var merges: [ScopedText: UserMerge] = [:]
  /// By app and alias.
  var erasures: [ErasureKey: UserErasure] = [:]
  /// By user; each list by currency.
  var spendingLimits: [ScopedText: [SpendingLimit]] = [:]
  var promotionalEntitlements: [ScopedText: PromotionalEntitlement] = [:]
  var promotionalEntitlementsByUser: [ScopedText: [ScopedText]] = [:]

  var notifications: [ScopedText: ReceivedNotification] = [:]
  /// The order in which they came, from 1.
  var notificationPlaces: [Int64: ScopedText] = [:]
  var deliveries: [DeliveryIdentifier: Delivery] = [:]
  var deliveriesByPlace: [DeliveryPlace: DeliveryIdentifier] = [:]
  var deliveriesByPayment: [PaymentKey: [DeliveryIdentifier]] = [:]
  /// The order of insertion, from 1.
  var deliveryNumbers: [DeliveryIdentifier: Int64] = [:]
  /// The deliveries that the backend has not acknowledged yet.
  var pendingDeliveries: [AppEnvironment: Set<DeliveryIdentifier>] = [:]
  var keptClaims: [PaymentKey: [KeptClaim]] = [:]
  /// All entries by number, from 1 and without gaps.
  var journal: [Int64: JournalEntry] = [:]
  var journalByOrder: [OrderKey: [JournalEntry]] = [:]
  var journalByPayment: [PaymentKey: [JournalEntry]] = [:]
  /// The entries that tell one of `JournalEvent.listed`.
  var journalByEvent: [EventPlace: [JournalEntry]] = [:]
  /// The failed attempts of each delivery, by number.
  var attempts: [DeliveryIdentifier: [DeliveryAttempt]] = [:]
  /// The order numbers of Apple's receipts, and when they were learned.
  var orderNumbers: [OrderNumberPlace: Timestamp] = [:]
  var forwards: [ScopedText: NotificationForward] = [:]

  /// When each report was received.
  var phoneReports: [PhoneReportKey: Timestamp] = [:]
  var phoneCounts: [PhoneCountKey: Int64] = [:]
  var hourlyTotals: [HourlyTotal.Key: HourlyTotal] = [:]

  var apiKeys: [CredentialIdentifier: APIKey] = [:]
  var settings: [ExactText: String] = [:]

  var operatorAccounts: [OperatorName: OperatorAccount] = [:]
  var signInLinks: [ExactText: SignInLink] = [:]
  var pendingSignIns: [ExactText: PendingSignIn] = [:]
  var consoleSessions: [ExactText: ConsoleSession] = [:]
  var passkeys: [ExactText: Passkey] = [:]
  var approvals: [ExactText: Approval] = [:]
  /// By number.
  var auditLog: [Int64: AuditLogEntry] = [:]
  /// The numbers by action key.
  var auditLogByAction: [ExactText: Int64] = [:]
}
