package import PaymentPrimitives

/// What a token says in an app (setting `token_meaning`).
package enum TokenMeaning: String, CaseIterable, Sendable {
  /// The id of an order of ours, or nothing.
  case order
  /// The id of an order of ours, or else the UUID of a user, as apps have put it there for years.
  case user
}

/// Whom a token names that names no order, where tokens may name users.
package enum TokenUser: Hashable, Sendable {
  /// This user, with his own unpaid orders for the product.
  case known(UserIdentifier, own: [Order])
  /// A user of whom nothing is known here yet: he becomes known when he presents the payment himself, makes an order or
  /// is granted something.
  case unknown
  /// Several user ids are written with these 16 bytes; nothing decides between them.
  case ambiguous

  /// Whom 16 bytes name among users: compared as bytes, so a user id that is no UUID is never meant.
  ///
  /// - Parameters:
  ///   - users: those with an order, a balance or a right here, and whoever presents the payment.
  ///   - orders: that user's own unpaid orders for the product.
  package init(
    named token: OrderIdentifier, among users: Set<UserIdentifier>, orders: (UserIdentifier) throws -> [Order]
  ) rethrows {
    let meant = users.filter { OrderIdentifier($0.text) == token }
    if meant.count > 1 {
      self = .ambiguous
    } else if let user = meant.first {
      self = .known(user, own: try orders(user))
    } else {
      self = .unknown
    }
  }

  /// The user, where exactly one is known.
  package var user: UserIdentifier? {
    guard case .known(let user, _) = self else { return nil }
    return user
  }

  /// The ways in which backends write a UUID: with dashes or without, in lower or upper case. A user id that mixes them
  /// is known only when its user presents the payment himself.
  package static func spellings(of token: OrderIdentifier) -> [UserIdentifier] {
    let (dashed, digits) = (token.appAccountToken, token.outTradeNo)
    return Set([dashed, dashed.uppercased(), digits, digits.lowercased()].map { UserIdentifier($0) }).sorted()
  }
}
