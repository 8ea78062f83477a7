package import PaymentPrimitives

/// The meaning of a token in an app (setting `token_meaning`).
package enum TokenMeaning: String, CaseIterable, Sendable {
  /// The id of an order of ours, or nothing.
  case order
  /// The id of an order of ours, or else a user's UUID, as many existing apps use it.
  case user
}

/// The user that a token names, if it names no order and tokens may name users.
package enum TokenUser: Hashable, Sendable {
  /// This user, with their own unpaid orders for the product.
  case known(UserIdentifier, own: [Order])
  /// A user who is not known here yet. They become known when they present the payment, create an order or receive a
  /// grant.
  case unknown
  /// Several user ids have these 16 bytes; nothing decides between them.
  case ambiguous

  /// Finds the user that 16 bytes name. The comparison uses bytes, so a user id that is not a UUID never matches.
  ///
  /// - Parameters:
  ///   - users: the users with an order, a balance or an entitlement here, and the presenter of the payment.
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

  /// The user, if exactly one is known.
  package var user: UserIdentifier? {
    guard case .known(let user, _) = self else { return nil }
    return user
  }

  /// The forms in which backends write a UUID: with or without dashes, in lower or upper case. A user id in mixed case
  /// is known only when this user presents the payment.
  package static func spellings(of token: OrderIdentifier) -> [UserIdentifier] {
    let (dashed, digits) = (token.appAccountToken, token.outTradeNo)
    return Set([dashed, dashed.uppercased(), digits, digits.lowercased()].map { UserIdentifier($0) }).sorted()
  }
}
