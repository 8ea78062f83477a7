public import PaymentPrimitives
import CounterfoilAPI

/// How many units a user has of something. It is of one environment: what comes from the sandbox is never added to
/// others.
public struct Balance: Hashable, Sendable {
  /// What is counted, by its name in the catalog.
  public var unit: UnitName
  /// How many; below zero after a refund of what was spent.
  public var amount: Int64
  /// The world it belongs to.
  public var environment: StoreEnvironment
  /// Since when nothing may be spent of it, because a refund took back more than there was; nil where it may.
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
