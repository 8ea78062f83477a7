#if canImport(StoreKit)
  import Counterfoil
  public import Foundation
  import PaymentPrimitives

  /// An entitlement of a user, for Objective-C. States and reasons are strings, because more may come.
  #if canImport(ObjectiveC)
    @objc(CFLEntitlement) @objcMembers
  #endif
  public final class ObjectiveCEntitlement: NSObject, Sendable {
    /// The entitlement, by its name in the catalog.
    public let entitlement: String
    /// `active`, `gracePeriod`, `billingRetry`, `expired`, `revoked`, or a value that this version does not know.
    public let state: String
    /// Whether the user has access.
    public let givesAccess: Bool
    /// When it ends; nil if it does not end.
    public let expiresAt: Date?
    /// Whether a subscription renews at its end; nil for anything else, and if the store has not said.
    public let willRenew: NSNumber?
    /// The product that it renews to.
    public let renewsTo: String?
    /// Until when the user keeps access although the renewal failed.
    public let gracePeriodExpiresAt: Date?
    /// Why it ended, if the store has said.
    public let reason: String?
    /// `appStore` or `weChatPay`; nil if no payment gives it.
    public let store: String?
    /// `payment`, `promotional` (the team gave it until a date), or a value that this version does not know.
    public let source: String
    /// `production`, or the environment that it belongs to.
    public let environment: String

    init(_ entitlement: Entitlement) {
      self.entitlement = entitlement.entitlement.text
      state = entitlement.state.rawValue
      givesAccess = entitlement.state.givesAccess
      expiresAt = entitlement.expiresAt?.date
      willRenew = entitlement.willRenew.map { NSNumber(value: $0) }
      renewsTo = entitlement.renewsTo?.text
      gracePeriodExpiresAt = entitlement.gracePeriodExpiresAt?.date
      reason = entitlement.reason?.rawValue
      store = entitlement.store?.rawValue
      source = entitlement.source.rawValue
      environment = entitlement.environment.rawValue
    }
  }

  /// How many units a user has, for Objective-C.
  #if canImport(ObjectiveC)
    @objc(CFLBalance) @objcMembers
  #endif
  public final class ObjectiveCBalance: NSObject, Sendable {
    /// The unit, by its name in the catalog.
    public let unit: String
    /// The number of units; negative after a refund of units already spent.
    public let amount: Int64
    /// `production`, or the environment that it belongs to.
    public let environment: String
    /// Since when spending is blocked; nil when it is allowed.
    public let frozenSince: Date?

    init(_ balance: Balance) {
      unit = balance.unit.text
      amount = balance.amount
      environment = balance.environment.rawValue
      frozenSince = balance.frozenSince?.date
    }
  }

  extension Timestamp {
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
  }
#endif
