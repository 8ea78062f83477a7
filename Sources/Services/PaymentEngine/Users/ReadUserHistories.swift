import Cryptography
import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// What happened to one order of a user, or to one payment without an order of theirs.
package struct UserHistory: Hashable, Sendable {
  package let order: OrderIdentifier?
  package let payment: PaymentKey?
  package let journal: JournalPart
  /// What the store signed, in order of receipt.
  package let evidence: [Evidence]
  package let deliveries: [Delivery]

  /// The most that a page has of one history; the newest.
  private static let evidenceMax = 100

  fileprivate init(_ order: Order?, _ payment: PaymentKey?, in reader: any DatabaseReader) throws {
    self.order = order?.key.id
    self.payment = payment
    var entries = try order.map { try reader.journal(of: $0.key) } ?? []
    if let payment {
      entries += try reader.journal(of: payment).filter { entry in
        order.map { entry.order != $0.key.id || entry.appEnvironment != $0.key.appEnvironment } ?? true
      }
    }
    journal = JournalPart(entries.inOrderOfTime)
    evidence = Array((try payment.map { try reader.evidence(of: $0) } ?? []).suffix(Self.evidenceMax))
    deliveries = try payment.map { try reader.deliveries(of: $0) } ?? []
  }

  /// The SHA-256 of a signed text, also of one that is not kept any more.
  package static func digest(of evidence: Evidence) -> String {
    guard !ShortenedText.isOne(evidence.text) else {
      return String(evidence.text.dropFirst(ShortenedText.prefix.count))
    }
    return Array(SHA256.hash(evidence.text)).hexadecimal
  }
}

/// Where a page of histories ends. First come the orders, the newest first, then payments without an order of the
/// user, the newest grant first.
package enum UserHistoryPlace: Hashable, Sendable {
  case order(OrderIdentifier)
  /// That many payments were told.
  case payments(Int)

  package init?(_ text: String) {
    if let order = OrderIdentifier(text) {
      self = .order(order)
    } else if let count = Int(text), (0...Self.paymentsMax).contains(count), "\(count)" == text {
      self = .payments(count)
    } else {
      return nil
    }
  }

  /// More payments of one user than anybody has.
  fileprivate static let paymentsMax = 1_000_000

  package var text: String {
    switch self {
    case .order(let order): order.description
    case .payments(let count): "\(count)"
    }
  }
}

/// A page of histories.
package struct UserHistories: Hashable, Sendable {
  package let histories: [UserHistory]
  package let next: UserHistoryPlace?
}

extension PaymentEngine {
  /// Journal, evidence and deliveries of a user's orders and payments, a page at a time. A payment that is granted
  /// while somebody reads may shift the pages of payments: then one is told twice, and none is left out.
  ///
  /// - Throws: `orderUnknown` if the place names an order that is not the user's.
  package func readUserHistories(
    of user: UserIdentifier, in appEnvironment: AppEnvironment, after place: UserHistoryPlace?, limit: Int
  ) async throws -> UserHistories {
    try await read { reader in
      var histories: [UserHistory] = []
      var told = 0
      if case .payments(let count) = place {
        told = count
      } else {
        let orders = try Self.orders(of: user, in: appEnvironment, after: place, limit: limit, reader)
        histories = try orders.map { try UserHistory($0, $0.state.payment, in: reader) }
        if let last = orders.last, orders.count == limit {
          return UserHistories(histories: histories, next: .order(last.key.id))
        }
      }
      let room = limit - histories.count
      let granted = try reader.payments(grantedTo: user, in: appEnvironment, limit: told + room)
      for payment in granted.dropFirst(told) {
        let order = try payment.order.flatMap { try reader.order(OrderKey(appEnvironment: appEnvironment, id: $0)) }
        guard order?.user != user else { continue }
        histories.append(try UserHistory(nil, payment.key, in: reader))
      }
      return UserHistories(
        histories: histories, next: granted.count < told + room || room == 0 ? nil : .payments(granted.count))
    }
  }

  private static func orders(
    of user: UserIdentifier, in appEnvironment: AppEnvironment, after place: UserHistoryPlace?, limit: Int,
    _ reader: any DatabaseReader
  ) throws -> [Order] {
    var query = OrderQuery(appEnvironment: appEnvironment, limit: limit)
    query.user = user
    if case .order(let last) = place {
      guard let order = try reader.order(OrderKey(appEnvironment: appEnvironment, id: last)), order.user == user else {
        throw CodedError<EngineErrorCode>(.orderUnknown)
      }
      query.before = order.position
    }
    return try reader.orders(query)
  }
}
