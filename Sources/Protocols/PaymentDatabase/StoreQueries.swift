package import PaymentModel
package import PaymentPrimitives

/// A query for orders of an app environment, newest first.
package struct OrderQuery: Hashable, Sendable {
  package var appEnvironment: AppEnvironment
  /// Only orders of that user.
  package var user: UserIdentifier?
  /// Only orders that await payment.
  package var openOnly: Bool
  /// Only orders before this position: that of the last order of the page before.
  package var before: OrderPosition?
  package var limit: Int

  /// A query for all orders of an app environment.
  package init(appEnvironment: AppEnvironment, limit: Int) {
    self.appEnvironment = appEnvironment
    self.openOnly = false
    self.limit = limit
  }
}

/// A query for deliveries of an app environment, in order of insertion.
package struct DeliveryQuery: Hashable, Sendable {
  package enum Selection: String, Hashable, CaseIterable, Sendable {
    case all
    case pending
    case parked
    case acknowledged
  }

  package var appEnvironment: AppEnvironment
  package var selection: Selection
  /// Only deliveries after this one.
  package var after: DeliveryIdentifier?
  /// Only those up to this number (`FeedEnds.deliveries`): a reader who goes on after the last one misses none.
  package var upTo: Int64
  package var limit: Int

  package init(appEnvironment: AppEnvironment, selection: Selection, limit: Int) {
    self.appEnvironment = appEnvironment
    self.selection = selection
    self.upTo = FeedEnds.everything.deliveries
    self.limit = limit
  }
}

/// The number of deliveries that are not acknowledged.
package struct DeliveryBacklog: Hashable, Sendable {
  package var pending: Int
  /// Stopped after 30 days of attempts; still kept.
  package var parked: Int
  /// When the oldest pending one was created.
  package var oldestPending: Timestamp?

  package init(pending: Int, parked: Int, oldestPending: Timestamp?) {
    self.pending = pending
    self.parked = parked
    self.oldestPending = oldestPending
  }
}
