#if canImport(ObjectiveC)
  import Counterfoil
  public import Foundation
  import PaymentPrimitives

  /// What a user has a right to, for Objective-C. States and reasons are words, for more may come.
  @objc(CFLEntitlement) public final class ObjectiveCEntitlement: NSObject, Sendable {
    /// The right, by its name in the catalog.
    @objc public let entitlement: String
    /// `active`, `gracePeriod`, `billingRetry`, `expired`, `revoked`, or a word that this version does not know.
    @objc public let state: String
    /// Whether the user may use it.
    @objc public let givesAccess: Bool
    /// Its end; nil when it lasts.
    @objc public let expiresAt: Date?
    /// Whether a subscription renews at its end; nil for anything else, and where the store has not said.
    @objc public let willRenew: NSNumber?
    /// The product that it renews to.
    @objc public let renewsTo: String?
    /// Until when he keeps his access although the renewal failed.
    @objc public let gracePeriodExpiresAt: Date?
    /// Why it ended, where the store has said.
    @objc public let reason: String?
    /// `appStore` or `weChatPay`.
    @objc public let store: String
    /// `production`, or the world that it belongs to.
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

  /// How many units a user has of something, for Objective-C.
  @objc(CFLBalance) public final class ObjectiveCBalance: NSObject, Sendable {
    /// What is counted, by its name in the catalog.
    @objc public let unit: String
    /// How many; below zero after a refund of what was spent.
    @objc public let amount: Int64
    /// `production`, or the world that it belongs to.
    @objc public let environment: String
    /// Since when nothing may be spent of it; nil where it may.
    @objc public let frozenSince: Date?

    init(_ balance: Balance) {
      unit = balance.unit.text
      amount = balance.amount
      environment = balance.environment.rawValue
      frozenSince = balance.frozenSince?.date
    }
  }

  extension Timestamp {
    fileprivate var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
  }
#endif
