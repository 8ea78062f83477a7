package import PaymentPrimitives

/// How much a user may spend in one calendar month (UTC), in one currency: for minors.
package struct SpendingLimit: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  package let user: UserIdentifier
  package let currency: CurrencyCode
  /// In the smallest unit of the currency; nil if the limit was lifted.
  package let minorUnits: Int64?
  /// When it was set or lifted.
  package let setAt: Timestamp

  package init(
    appEnvironment: AppEnvironment, user: UserIdentifier, currency: CurrencyCode, minorUnits: Int64?, setAt: Timestamp
  ) {
    self.appEnvironment = appEnvironment
    self.user = user
    self.currency = currency
    self.minorUnits = minorUnits
    self.setAt = setAt
  }
}
