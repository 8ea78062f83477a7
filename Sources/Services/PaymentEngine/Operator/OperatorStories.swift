import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// The rows around a payment that an operator sees beside it.
package struct PaymentRelations: Hashable, Sendable {
  package let grant: Grant?
  package let changes: [GrantChange]
  /// Refunds at WeChat Pay.
  package let refunds: [Refund]
  package let keptClaims: [KeptClaim]

  /// A payment that does not exist has none of them.
  fileprivate init(of payment: PaymentKey?, in reader: any DatabaseReader) throws {
    grant = try payment.flatMap { try reader.grant($0) }
    changes = try payment.map { try reader.changes(of: $0) } ?? []
    refunds = try payment.map { try reader.refunds(of: $0) } ?? []
    keptClaims = try payment.map { try reader.keptClaims(of: $0) } ?? []
  }
}

/// The newest entries of a journal, oldest first.
package struct JournalPart: Hashable, Sendable {
  /// A subscription of years has thousands of entries; an answer has the newest.
  private static let entriesMax = 500

  package let entries: [JournalEntry]
  /// The number of older entries that are left out.
  package let omitted: Int

  init(_ all: [JournalEntry]) {
    entries = all.suffix(Self.entriesMax)
    omitted = all.count - entries.count
  }
}

/// All that is known here of an order, as an operator sees it.
package struct OrderStory: Hashable, Sendable {
  package let details: OrderDetails
  /// Other environments with an order of that id: its sandbox counterpart, or the order of which it is one.
  package let counterparts: [StoreEnvironment]
  /// Payments with its token that pay no order.
  package let unmatched: [Payment]
  package let relations: PaymentRelations
  /// Stopped changes that name it or its payment.
  package let stopped: [StoppedChange]
  package let journal: JournalPart
}

/// All that is known here of a transaction, as an operator sees it.
package struct PaymentStory: Hashable, Sendable {
  package let key: PaymentKey
  /// Nil if every change was stopped before a payment was stored.
  package let payment: Payment?
  /// The payment that this transaction id repeats; then all else is about that payment.
  package let duplicateOf: PaymentKey?
  package let relations: PaymentRelations
  package let deliveries: [Delivery]
  package let stopped: [StoppedChange]
  /// The store's statements in order of receipt, also those under the repeated id.
  package let evidence: [Evidence]
  package let journal: JournalPart
}

/// All that is known here of a user in one environment, as an operator sees it.
package struct UserStory: Hashable, Sendable {
  package let orders: OrderListing
  /// The payments through their grants, the newest first.
  package let payments: [Payment]
  package let hasMorePayments: Bool
  package let balances: [Balance]
  package let entitlements: [Entitlement]
  /// What the user was given without a payment, those that hold longest first.
  package let promotional: [PromotionalEntitlement]
  package let refundRatio: RefundRatio
  /// What limits the user, and what they spent.
  package let spending: [Spending]
  /// The user who has this one's account since a merge.
  package let mergedInto: UserIdentifier?
}

extension [JournalEntry] {
  /// Entries of the same time stay in their order.
  var inOrderOfTime: [JournalEntry] {
    enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }
}

extension PaymentEngine {
  /// The most payments in the story of a user.
  package static let paymentsOfUserMax = 100
  /// The most unmatched payments in the story of an order; there is seldom one.
  private static let unmatchedMax = 20

  /// All that is known of an order, by its id or the backend's reference.
  ///
  /// - Parameter appEnvironments: the app environments to search; the first that has it is told.
  package func tellOrder(_ name: OrderName, in appEnvironments: [AppEnvironment]) async throws -> OrderStory {
    try await read { reader in
      let details = try Self.details(of: name, in: appEnvironments, of: nil, reader)
      let key = details.order.key
      var stopped = try reader.stoppedChanges(naming: key)
      if let payment = details.payment {
        stopped += try reader.stoppedChanges(of: payment.key).filter { !stopped.contains($0) }
      }
      return OrderStory(
        details: details,
        counterparts: try appEnvironments.filter {
          try $0 != key.appEnvironment && reader.order(OrderKey(appEnvironment: $0, id: key.id)) != nil
        }.map(\.environment),
        unmatched: try reader.payments(withUnmatchedToken: key.id, in: key.appEnvironment, limit: Self.unmatchedMax),
        relations: try PaymentRelations(of: details.payment?.key, in: reader), stopped: stopped,
        journal: JournalPart(try OrderTimeline.entries(of: details.order, in: reader)))
    }
  }

  /// All that is known of a transaction, also without an order, and also of one that was stopped before it was stored.
  package func tellPayment(_ key: PaymentKey) async throws -> PaymentStory {
    try await read { reader in
      let repeated = try reader.duplicate(key)?.of
      let subject = repeated ?? key
      let payment = try reader.payment(subject)
      let ids = [subject] + (repeated == nil ? [] : [key])
      let stopped = try ids.flatMap { try reader.stoppedChanges(of: $0) }
      guard payment != nil || !stopped.isEmpty else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
      return PaymentStory(
        key: key, payment: payment, duplicateOf: repeated,
        relations: try PaymentRelations(of: payment?.key, in: reader),
        deliveries: try reader.deliveries(of: subject), stopped: stopped,
        evidence: try ids.flatMap { try reader.evidence(of: $0) },
        journal: JournalPart(try ids.flatMap { try reader.journal(of: $0) }.inOrderOfTime))
    }
  }

  /// All that is known of a user in an environment; of an unknown user it is empty.
  ///
  /// - Parameter last: the last order of the page before.
  /// - Throws: `orderUnknown` if that order is not the user's.
  package func tellUser(
    _ user: UserIdentifier, in appEnvironment: AppEnvironment, orders limit: Int, after last: OrderIdentifier?
  ) async throws -> UserStory {
    var query = OrderQuery(appEnvironment: appEnvironment, limit: limit)
    query.user = user
    let orders = try await listOrders(query, counterpartsIn: [], after: last)
    let payments = try await read {
      try $0.payments(grantedTo: user, in: appEnvironment, limit: Self.paymentsOfUserMax + 1)
    }
    var spending: [Spending] = []
    if let app = apps[appEnvironment.app], app.homeEnvironment == appEnvironment {
      spending = try await readSpending(of: user, in: app)
    }
    let entitlements = try await readEntitlements(of: user, in: appEnvironment)
    let given = try await readPromotionalEntitlements(of: user, in: appEnvironment).promotional
    return UserStory(
      orders: orders, payments: Array(payments.prefix(Self.paymentsOfUserMax)),
      hasMorePayments: payments.count > Self.paymentsOfUserMax,
      balances: try await readBalances(of: user, in: appEnvironment),
      entitlements: entitlements, promotional: given,
      refundRatio: try await readRefundRatio(of: user, in: appEnvironment),
      spending: spending,
      mergedInto: try await read { try $0.merge(of: user, in: appEnvironment)?.into })
  }

  /// A delivery of an app, in any of its environments.
  package func readDelivery(_ id: DeliveryIdentifier, of app: AppIdentifier) async throws -> Delivery {
    guard let delivery = try await read({ try $0.delivery(id) }), delivery.payment.app == app else {
      throw CodedError<EngineErrorCode>(.deliveryUnknown)
    }
    return delivery
  }

  /// A store's notification as it was received, with its forward if there is one.
  ///
  /// - Parameter appEnvironments: the app environments to search; the first that has it is told.
  package func readNotification(
    _ id: String, in appEnvironments: [AppEnvironment]
  ) async throws -> (notification: ReceivedNotification, forward: NotificationForward?) {
    try await read { reader in
      for appEnvironment in appEnvironments {
        if let found = try reader.notification(id, in: appEnvironment) {
          return (found, try reader.forward(of: id, in: appEnvironment))
        }
      }
      throw CodedError<EngineErrorCode>(.notificationUnknown)
    }
  }
}
