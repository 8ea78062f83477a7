import PaymentPrimitives

// What a phone records about its users and its app, for the oracle.

/// A tap on "buy".
struct WorldTap: Hashable, Sendable {
  let user: UserIdentifier
  let product: ProductIdentifier
  let quantity: Int
  let at: Timestamp
}

/// A claim of an app to its user: this order is granted.
struct WorldClaim: Hashable, Sendable {
  let user: UserIdentifier
  let order: OrderIdentifier
  /// Whether the user has the product by an earlier purchase.
  let isRecovered: Bool
}

/// An order that an app handed to WeChat, with the users who had requested a purchase in that run of the app.
struct WorldHandOver: Hashable, Sendable {
  let order: OrderIdentifier
  let users: Set<UserIdentifier>
}

/// A tap on "restore purchases".
struct WorldRestore: Hashable, Sendable {
  let user: UserIdentifier
  let account: String
  let from: Timestamp
  /// The time at which the app had finished the restore, or was killed.
  let to: Timestamp
  let isDone: Bool
}
