package import PaymentPrimitives

/// A user whose account was merged into another one, for ever: what comes for them later goes to the other user.
package struct UserMerge: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  /// The user who was merged, for example a guest.
  package let user: UserIdentifier
  /// The user who has everything since then. They may be merged into a third one later.
  package let into: UserIdentifier
  package let at: Timestamp
  /// How many orders moved.
  package let orders: Int
  /// How many payments moved.
  package let payments: Int

  package init(
    appEnvironment: AppEnvironment, user: UserIdentifier, into: UserIdentifier, at: Timestamp, orders: Int,
    payments: Int
  ) {
    self.appEnvironment = appEnvironment
    self.user = user
    self.into = into
    self.at = at
    self.orders = orders
    self.payments = payments
  }
}
