package import PaymentModel
package import PaymentPrimitives

/// Which orders of a realm, newest first.
package struct OrderQuery: Hashable, Sendable {
  package var realm: AppEnvironment
  /// Only that user's.
  package var user: UserIdentifier?
  /// Only those awaiting payment.
  package var openOnly: Bool
  /// Only those before this place: that of the last of the page before.
  package var before: OrderPosition?
  package var limit: Int

  /// All orders of a realm.
  package init(realm: AppEnvironment, limit: Int) {
    self.realm = realm
    self.openOnly = false
    self.limit = limit
  }
}

/// Which deliveries of a realm, in order of their creation.
package struct DeliveryQuery: Hashable, Sendable {
  package enum Selection: String, Hashable, CaseIterable, Sendable {
    case all
    case pending
    case parked
    case acknowledged
  }

  package var realm: AppEnvironment
  package var selection: Selection
  /// Only those after this one.
  package var after: DeliveryIdentifier?
  package var limit: Int

  package init(realm: AppEnvironment, selection: Selection, limit: Int) {
    self.realm = realm
    self.selection = selection
    self.limit = limit
  }
}

/// How much waits to be delivered.
package struct DeliveryBacklog: Hashable, Sendable {
  package var pending: Int
  /// Given up after 30 days, kept.
  package var parked: Int
  /// When the oldest pending one was made.
  package var oldestPending: Timestamp?

  package init(pending: Int, parked: Int, oldestPending: Timestamp?) {
    self.pending = pending
    self.parked = parked
    self.oldestPending = oldestPending
  }
}
