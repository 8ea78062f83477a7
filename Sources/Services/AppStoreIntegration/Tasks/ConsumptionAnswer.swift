package import AppStoreProtocol
import PaymentEngine
package import PaymentPrimitives

/// How Apple is answered when a customer requests a refund and Apple asks how much of the purchase is consumed.
package struct ConsumptionPolicy: Hashable, Sendable {
  /// The decision that the team prefers.
  package enum Preference: String, CaseIterable, Sendable {
    case none
    /// No refund of delivered goods.
    case decline
    /// A refund of the unused part.
    case prorated
  }

  /// The decision that the team prefers.
  package var preference: Preference
  /// Whether the app lets customers try before they buy.
  package var sampleContentProvided: Bool

  /// A policy that states the facts, and leaves the decision to Apple.
  package init(preference: Preference = .none, sampleContentProvided: Bool = false) {
    self.preference = preference
    self.sampleContentProvided = sampleContentProvided
  }
}

/// What our records state about a purchase.
package struct ConsumptionFacts: Hashable, Sendable {
  package enum Delivery: Hashable, Sendable {
    /// The backend has acknowledged the goods, or they are in our own wallet.
    case arrived
    /// The goods are granted, and the backend has not accepted them yet.
    case notTaken
    case notGranted
  }

  /// How much of the goods is consumed.
  package enum Use: Hashable, Sendable {
    /// The number of units left, of the number granted.
    case units(left: Int64, of: Int64)
    /// An entitlement for a time span.
    case time(from: Timestamp, until: Timestamp)
    /// The use is not known here: a permanent entitlement, or a balance kept elsewhere.
    case unknown
  }

  /// The kind of product: for auto-renewable subscriptions Apple wants no percentage.
  package var kind: ProductKind
  package var delivery: Delivery
  /// How much of the goods is consumed.
  package var use: Use
  /// The order that the purchase names.
  package var token: OrderIdentifier?

  package init(kind: ProductKind, delivery: Delivery, use: Use, token: OrderIdentifier? = nil) {
    self.kind = kind
    self.delivery = delivery
    self.use = use
    self.token = token
  }
}

/// The answer to Apple; it uses records and policy only.
package enum ConsumptionAnswer {
  /// 100 percent, in Apple's milliunits.
  private static let whole: Int64 = 100_000

  /// The consumed share, 0 to 100 000; nil if it is not known, or Apple wants no percentage.
  static func percentage(_ facts: ConsumptionFacts, at now: Timestamp) -> Int? {
    guard facts.kind != .autoRenewable else { return nil }
    // Goods that did not arrive are not consumed; Apple accepts no other value.
    guard facts.delivery == .arrived else { return 0 }
    switch facts.use {
    case .units(let left, let all): return share(all - left, of: all)
    case .time(let from, let until):
      let length = until - from
      return share(min(max(now - from, .zero), length).milliseconds, of: length.milliseconds)
    case .unknown: return nil
    }
  }

  /// Rounded down, but a partial use stays partial: neither zero nor all.
  private static func share(_ used: Int64, of all: Int64) -> Int {
    guard all > 0, used > 0 else { return 0 }
    guard used < all else { return Int(whole) }
    let product = used.magnitude.multipliedFullWidth(by: whole.magnitude)
    return Int(max(1, all.magnitude.dividingFullWidth(product).quotient))
  }

  private static func preference(
    _ facts: ConsumptionFacts, _ percentage: Int?, policy: ConsumptionPolicy
  ) -> ConsumptionRequest.RefundPreference? {
    // A customer who paid and got nothing gets a full refund.
    guard facts.delivery == .arrived else { return .grantFull }
    switch policy.preference {
    case .none: return nil
    case .decline: return .decline
    case .prorated:
      if facts.kind == .autoRenewable { return .grantProrated }
      // A prorated refund requires a known consumed share.
      guard let percentage else { return nil }
      return percentage == 0 ? .grantFull : percentage < whole ? .grantProrated : .decline
    }
  }

  /// The answer in the present format.
  ///
  /// Source: Send Consumption Information, `ConsumptionRequest`.
  package static func request(
    _ facts: ConsumptionFacts, _ policy: ConsumptionPolicy, at now: Timestamp
  ) -> ConsumptionRequest {
    let status: ConsumptionRequest.DeliveryStatus =
      switch facts.delivery {
      case .arrived: .delivered
      case .notTaken: .undeliveredServerOutage
      case .notGranted: .undeliveredOther
      }
    var request = ConsumptionRequest(
      customerConsented: true, deliveryStatus: status, sampleContentProvided: policy.sampleContentProvided)
    request.consumptionPercentage = percentage(facts, at: now)
    request.refundPreference = preference(facts, request.consumptionPercentage, policy: policy)
    return request
  }

  /// The answer in the first format, for transactions of the Advanced Commerce API, which the present one does not
  /// accept. What we do not know stays undeclared.
  package static func firstForm(
    _ facts: ConsumptionFacts, _ policy: ConsumptionPolicy, at now: Timestamp
  ) -> ConsumptionRequestV1 {
    var request = ConsumptionRequestV1(customerConsented: true)
    let percentage = percentage(facts, at: now)
    request.consumptionStatus = percentage.map { $0 == 0 ? 1 : $0 < whole ? 2 : 3 } ?? 0
    request.platform = 1
    request.sampleContentProvided = policy.sampleContentProvided
    request.deliveryStatus =
      switch facts.delivery {
      case .arrived: 0
      case .notTaken: 3
      case .notGranted: 5
      }
    request.appAccountToken = facts.token
    switch preference(facts, percentage, policy: policy) {
    case .grantFull, .grantProrated: request.refundPreference = 1
    case .decline: request.refundPreference = 2
    case nil: request.refundPreference = 0
    }
    return request
  }
}
