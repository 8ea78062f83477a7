import PaymentDatabase
import PaymentModel
package import PaymentPrimitives

/// One thing that a search found.
package struct SearchHit: Hashable, Sendable {
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    case order
    case payment
    case user
    case refund
    case delivery
    case notification
    case complaint
  }

  package let kind: Kind
  package let appEnvironment: AppEnvironment
  /// The store of a payment; its transaction id alone does not name it.
  package let store: Store?
  package let id: String
  /// What it is, in a few words.
  package let title: String
  /// Its present state; a user has none.
  package let state: String?
  /// The payment that a refund gives back.
  package var payment: PaymentKey?
}

/// The answer to a search.
package struct SearchResult: Hashable, Sendable {
  /// The meanings that were tried, in their order.
  package let tried: [SearchMeaning]
  /// Each thing once, by meaning, then by environment.
  package let hits: [SearchHit]
  /// Whether there are more hits than are shown.
  package let hasMore: Bool
}

extension AppPolicy {
  /// Every environment that may have data of the app, its own one first. An operator searches all of them, also those
  /// that the present configuration no longer has.
  package var everyEnvironment: [AppEnvironment] {
    ([home] + StoreEnvironment.allCases.filter { $0 != home }).map { AppEnvironment(app: id, environment: $0) }
  }
}

extension PaymentEngine {
  /// The most hits of a search: an operator who gets more needs another term.
  package static let searchHitsMax = 50

  /// Finds what has a term as its number or name, in all environments of an app.
  ///
  /// For each meaning it asks a few questions, each of an index (record 176).
  ///
  /// - Parameter concerned: the orders and transactions of the request whose id the term is, if the caller knows it.
  package func search(
    _ term: SearchTerm, in app: AppPolicy, concerned: [String] = []
  ) async throws -> SearchResult {
    let now = self.now
    let meanings = term.meanings
    let appEnvironments = app.everyEnvironment
    return try await read { reader in
      let search = Search(reader: reader, text: term.text, appEnvironments: appEnvironments, now: now)
      var hits: [SearchHit] = []
      var known: Set<SearchHit> = []
      for meaning in meanings {
        let found = try meaning == .request ? concerned.flatMap(search.hits(ofConcerned:)) : search.hits(as: meaning)
        for hit in found where known.insert(hit).inserted { hits.append(hit) }
      }
      return SearchResult(
        tried: meanings, hits: Array(hits.prefix(Self.searchHitsMax)), hasMore: hits.count > Self.searchHitsMax)
    }
  }
}

/// One search over a snapshot.
private struct Search {
  /// The newest orders whose codes are compared if the hour of a support code has no such order. The id of a derived
  /// order contains no time. Reading so many ids takes a few milliseconds.
  private static let derivedOrdersMax = 10_000
  /// The orders of an hour whose codes are compared: ten a second, and more than any shop here has had.
  private static let ordersOfAnHourMax = 40_000
  /// An order is created within this time of its id.
  private static let idAge = TimeSpan.minutes(1)

  let reader: any DatabaseReader
  let text: String
  let appEnvironments: [AppEnvironment]
  let now: Timestamp

  /// One more than is shown, so that a search knows that there are more.
  private var limit: Int { PaymentEngine.searchHitsMax + 1 }

  func hits(as meaning: SearchMeaning) throws -> [SearchHit] {
    switch meaning {
    case .order: try orders(OrderIdentifier(text).map { [$0] } ?? [])
    case .supportCode: try SupportCode(text).map { try orders(identifiers(with: $0)) } ?? []
    case .backendReference:
      try everywhere { try reader.order(referenceFromBackend: text, in: $0).map { [SearchHit($0)] } ?? [] }
    case .appReference:
      try everywhere { try reader.orders(referenceFromApp: text, in: $0, limit: limit).map { SearchHit($0) } }
    case .transaction, .originalTransaction, .orderNumber, .lineItem, .token: try payments(as: meaning)
    case .refund: try everywhere { try reader.refund(text, in: $0).map { [SearchHit($0)] } ?? [] }
    case .storeRefund:
      try everywhere { try reader.refunds(storeNumber: text, in: $0, limit: limit).map { SearchHit($0) } }
    case .request: []
    case .delivery: try delivery()
    case .notification: try everywhere { try reader.notification(text, in: $0).map { [SearchHit($0)] } ?? [] }
    case .complaint: try everywhere { try reader.complaint(text, in: $0).map { [SearchHit($0)] } ?? [] }
    case .user: try everywhere { try users([UserIdentifier(text)], in: $0) }
    case .appTransaction: try everywhere { try users(reader.users(ofAppTransaction: text, in: $0).sorted(), in: $0) }
    }
  }

  /// The order or the payment that a request concerned.
  func hits(ofConcerned subject: String) throws -> [SearchHit] {
    let search = Search(reader: reader, text: subject, appEnvironments: appEnvironments, now: now)
    return try OrderIdentifier(subject) == nil ? search.hits(as: .transaction) : search.hits(as: .order)
  }

  private func everywhere(_ find: (AppEnvironment) throws -> [SearchHit]) rethrows -> [SearchHit] {
    try appEnvironments.flatMap(find)
  }

  // MARK: orders

  private func orders(_ ids: [OrderIdentifier]) throws -> [SearchHit] {
    try ids.flatMap { id in
      try everywhere { appEnvironment in
        try reader.order(OrderKey(appEnvironment: appEnvironment, id: id)).map { [SearchHit($0)] } ?? []
      }
    }
  }

  /// The ids with a support code: among those of its hour, otherwise among the newest ones.
  private func identifiers(with code: SupportCode) throws -> [OrderIdentifier] {
    var found: [OrderIdentifier] = []
    func compare(_ range: ClosedRange<Timestamp>, _ limit: Int) throws {
      for appEnvironment in appEnvironments {
        for id in try reader.orderIdentifiers(madeIn: range, in: appEnvironment, limit: limit)
        where SupportCode(of: id) == code && !found.contains(id) {
          found.append(id)
        }
      }
    }
    if let hour = code.hour(upTo: now + Self.idAge) {
      try compare(hour.lowerBound - Self.idAge...hour.upperBound + Self.idAge, Self.ordersOfAnHourMax)
    }
    if found.isEmpty {
      try compare(Timestamp(milliseconds: .min)...Timestamp(milliseconds: .max), Self.derivedOrdersMax)
    }
    return found.sorted()
  }

  // MARK: payments

  private func payments(as meaning: SearchMeaning) throws -> [SearchHit] {
    try everywhere { appEnvironment in
      let found: [Payment] =
        switch meaning {
        case .transaction: try Store.allCases.flatMap { try payment(key(appEnvironment, $0)) }
        case .originalTransaction:
          try reader.payments(ofOriginal: key(appEnvironment, .appStore)).suffix(limit).map { $0 }
        case .orderNumber:
          try AppleOrderNumber(text).map {
            try reader.payments(ofOrderNumber: $0.text, in: appEnvironment, limit: limit)
          } ?? []
        case .lineItem: try reader.payments(ofLineItem: text, in: appEnvironment, limit: limit)
        default:
          try OrderIdentifier(text).map {
            try reader.payments(withUnmatchedToken: $0, in: appEnvironment, limit: limit)
          } ?? []
        }
      return found.map { SearchHit($0) }
    }
  }

  private func key(_ appEnvironment: AppEnvironment, _ store: Store) -> PaymentKey {
    PaymentKey(
      app: appEnvironment.app, store: store, environment: appEnvironment.environment,
      transaction: TransactionIdentifier(text))
  }

  /// The payment of a transaction id, also of an id that repeats a payment.
  private func payment(_ key: PaymentKey) throws -> [Payment] {
    let repeated = try reader.duplicate(key)?.of
    return try reader.payment(repeated ?? key).map { [$0] } ?? []
  }

  // MARK: others

  private func delivery() throws -> [SearchHit] {
    guard let delivery = try reader.delivery(DeliveryIdentifier(text)),
      appEnvironments.contains(delivery.payment.appEnvironment)
    else { return [] }
    return [SearchHit(delivery)]
  }

  /// The users who have anything here: an order, a grant or a balance.
  private func users(_ users: [UserIdentifier], in appEnvironment: AppEnvironment) throws -> [SearchHit] {
    try users.filter { user in
      var query = OrderQuery(appEnvironment: appEnvironment, limit: 1)
      query.user = user
      if try !reader.orders(query).isEmpty { return true }
      if try reader.refundRatio(of: user, in: appEnvironment).granted > 0 { return true }
      return try !reader.balances(of: user, in: appEnvironment).isEmpty
    }.map { SearchHit($0, in: appEnvironment) }
  }
}

extension SearchHit {
  fileprivate init(_ order: Order) {
    let state =
      switch order.state {
      case .awaitingPayment: "awaitingPayment"
      case .paid: "paid"
      case .closed: "closed"
      }
    self.init(
      kind: .order, appEnvironment: order.key.appEnvironment, store: order.store, id: order.key.id.description,
      title: "\(order.quantity) × \(order.product.id), \(order.user)", state: state)
  }

  fileprivate init(_ payment: Payment) {
    self.init(
      kind: .payment, appEnvironment: payment.key.appEnvironment, store: payment.key.store,
      id: payment.key.transaction.text, title: "\(payment.facts.quantity) × \(payment.facts.storeProduct)",
      state: payment.state.name)
  }

  fileprivate init(_ refund: Refund) {
    self.init(
      kind: .refund, appEnvironment: refund.appEnvironment, store: refund.payment.store, id: refund.number,
      title: "\(refund.amount.minorUnits) of \(refund.total.minorUnits) \(refund.amount.currency.code)",
      state: refund.state.name)
    payment = refund.payment
  }

  fileprivate init(_ delivery: Delivery) {
    let state =
      switch delivery.state {
      case .pending: "pending"
      case .acknowledged: "acknowledged"
      case .parked: "parked"
      }
    self.init(
      kind: .delivery, appEnvironment: delivery.payment.appEnvironment, store: delivery.payment.store,
      id: delivery.id.text, title: "\(delivery.kind.type) \(delivery.sequence)", state: state)
  }

  fileprivate init(_ notification: ReceivedNotification) {
    self.init(
      kind: .notification, appEnvironment: notification.appEnvironment, store: nil, id: notification.id,
      title: [notification.type, notification.subtype].compactMap(\.self).joined(separator: " "),
      state: notification.effect.rawValue)
  }

  fileprivate init(_ complaint: Complaint) {
    // What the customer wrote is for the page alone, which hides it from roles that may not read it.
    self.init(
      kind: .complaint, appEnvironment: complaint.appEnvironment, store: .weChatPay, id: complaint.id,
      title: [complaint.order?.description, complaint.user?.text].compactMap(\.self).joined(separator: ", "),
      state: complaint.state)
  }

  fileprivate init(_ user: UserIdentifier, in appEnvironment: AppEnvironment) {
    self.init(
      kind: .user, appEnvironment: appEnvironment, store: nil, id: user.text, title: user.text, state: nil)
  }
}
