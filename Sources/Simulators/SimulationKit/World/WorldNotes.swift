import PaymentPrimitives

// What a phone notes of its people and its app, for the oracle.

/// Somebody tapped "buy".
struct WorldTap: Hashable, Sendable {
  let user: UserIdentifier
  let product: ProductIdentifier
  let quantity: Int
  let at: Timestamp
}

/// What an app told its user: this order is granted.
struct WorldClaim: Hashable, Sendable {
  let user: UserIdentifier
  let order: OrderIdentifier
}

/// An order that WeChat was handed: for the oracle, who had asked for something in that run of the app.
struct WorldHandOver: Hashable, Sendable {
  let order: OrderIdentifier
  let users: Set<UserIdentifier>
}

/// Somebody tapped "restore purchases".
struct WorldRestore: Hashable, Sendable {
  let user: UserIdentifier
  let account: String
  let from: Timestamp
  /// When the app had done with it, or was gone.
  let to: Timestamp
  let isDone: Bool
}
