public import PaymentVocabulary

/// Which deliveries of a realm, in order of their creation.
public struct DeliveryQuery: Hashable, Sendable {
  /// Which states.
  public enum Selection: String, Hashable, CaseIterable, Sendable {
    /// All.
    case all
    /// Not acknowledged and not parked.
    case pending
    /// Parked.
    case parked
    /// Acknowledged.
    case acknowledged
  }

  /// The app and environment.
  public var realm: Realm
  /// Which states.
  public var selection: Selection
  /// Only those after this one.
  public var after: DeliveryIdentifier?
  /// How many at most.
  public var limit: Int

  /// Deliveries of a realm.
  public init(realm: Realm, selection: Selection, limit: Int) {
    self.realm = realm
    self.selection = selection
    self.limit = limit
  }
}

/// How much waits to be delivered.
public struct DeliveryBacklog: Hashable, Sendable {
  /// Not acknowledged, still tried.
  public var pending: Int
  /// Given up after 30 days, kept.
  public var parked: Int
  /// When the oldest pending one was made.
  public var oldestPending: Timestamp?

  /// A backlog.
  public init(pending: Int, parked: Int, oldestPending: Timestamp?) {
    self.pending = pending
    self.parked = parked
    self.oldestPending = oldestPending
  }
}

/// An App Store product of which a subscription waits for its owner.
public struct WaitingSubscription: Hashable, Comparable, Sendable {
  /// The app.
  public let app: AppIdentifier
  /// The App Store's id of it.
  public let storeProduct: StoreProductIdentifier

  /// A product of an app.
  public init(app: AppIdentifier, storeProduct: StoreProductIdentifier) {
    self.app = app
    self.storeProduct = storeProduct
  }

  public static func < (a: WaitingSubscription, b: WaitingSubscription) -> Bool {
    (a.app, a.storeProduct) < (b.app, b.storeProduct)
  }
}
