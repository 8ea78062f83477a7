import CounterfoilAPI
public import PaymentPrimitives

/// How many units a user has. It belongs to one environment: sandbox units are never added to others.
public struct Balance: Hashable, Sendable {
  /// The unit, by its name in the catalog.
  public var unit: UnitName
  /// The number of units; negative after a refund of units already spent.
  public var amount: Int64
  /// The environment that the units belong to.
  public var environment: StoreEnvironment
  /// Since when spending is blocked, because a refund took back more than the balance; nil when spending is allowed.
  public var frozenSince: Timestamp?

  /// A balance, for the tests of an app.
  public init(_ unit: UnitName, amount: Int64, environment: StoreEnvironment) {
    self.unit = unit
    self.amount = amount
    self.environment = environment
  }

  init(_ body: BalanceBody) {
    self.init(body.unit, amount: body.amount, environment: body.environment)
    frozenSince = body.frozenSince
  }
}
