#if canImport(ObjectiveC)
  import Counterfoil
  public import Foundation
  import PaymentPrimitives

  /// An entitlement of a user, for Objective-C. States and reasons are strings, because more may come.
  @objc(CFLEntitlement) public final class ObjectiveCEntitlement: NSObject, Sendable {
    /// The entitlement, by its name in the catalog.
    @objc public let entitlement: String
    /// `active`, `gracePeriod`, `billingRetry`, `expired`, `revoked`, or a value that this version does not know.
    @objc public let state: String
    /// Whether the user has access.
    @objc public let givesAccess: Bool
    /// When it ends; nil if it does not end.
    @objc public let expiresAt: Date?
    /// Whether a subscription renews at its end; nil for anything else, and if the store has not said.
    @objc public let willRenew: NSNumber?
    /// The product that it renews to.
    @objc public let renewsTo: String?
    /// Until when the user keeps access although the renewal failed.
    @objc public let gracePeriodExpiresAt: Date?
    /// Why it ended, if the store has said.
    @objc public let reason: String?
    /// `appStore` or `weChatPay`.
    @objc public let store: String
    /// `production`, or the environment that it belongs to.
    @objc public let environment: String

    init(_ entitlement: Entitlement) {
      self.entitlement = entitlement.entitlement.text
      state = entitlement.state.rawValue
      givesAccess = entitlement.state.givesAccess
      expiresAt = entitlement.expiresAt?.date
      willRenew = entitlement.willRenew.map { NSNumber(value: $0) }
      renewsTo = entitlement.renewsTo?.text
      gracePeriodExpiresAt = entitlement.gracePeriodExpiresAt?.date
      reason = entitlement.reason?.rawValue
      store = entitlement.store.rawValue
      environment = entitlement.environment.rawValue
    }
  }

  /// How many units a user has, for Objective-C.
  @objc(CFLBalance) public final class ObjectiveCBalance: NSObject, Sendable {
    /// The unit, by its name in the catalog.
    @objc public let unit: String
    /// The number of units; negative after a refund of units already spent.
    @objc public let amount: Int64
    /// `production`, or the environment that it belongs to.
    @objc public let environment: String
    /// Since when spending is blocked; nil when it is allowed.
    @objc public let frozenSince: Date?

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
