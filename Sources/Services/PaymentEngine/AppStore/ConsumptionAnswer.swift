package import AppStoreProtocol
package import PaymentPrimitives

/// How Apple is answered when a customer wants his money back and Apple asks how far the purchase is used.
package struct ConsumptionPolicy: Hashable, Sendable {
  /// What the team would rather have Apple decide.
  package enum Preference: String, CaseIterable, Sendable {
    case none
    /// No refund of what was delivered.
    case decline
    /// A refund of what is not used up.
    case prorated
  }

  /// What the team would rather have Apple decide.
  package var preference: Preference
  /// Whether the app lets customers try before they buy.
  package var sampleContentProvided: Bool

  /// Says how things are, and leaves the decision to Apple.
  package init(preference: Preference = .none, sampleContentProvided: Bool = false) {
    self.preference = preference
    self.sampleContentProvided = sampleContentProvided
  }
}

/// What our records say of a purchase.
package struct ConsumptionFacts: Hashable, Sendable {
  package enum Delivery: Hashable, Sendable {
    /// The backend has acknowledged them, or our own wallet is where they are.
    case arrived
    /// They are granted, and the backend has not taken them yet.
    case notTaken
    case notGranted
  }

  /// How far the goods are used up.
  package enum Use: Hashable, Sendable {
    /// So many of so many units are still there.
    case units(left: Int64, of: Int64)
    /// A right for a time, of which so much is over.
    case time(from: Timestamp, until: Timestamp)
    /// Nobody here can know: a lasting right, a balance that is kept elsewhere.
    case unknown
  }

  /// What kind of product it is: of what Apple renews itself it wants no percentage.
  package var kind: ProductKind
  package var delivery: Delivery
  /// How far they are used up.
  package var use: Use
  /// The order that the purchase names.
  package var token: OrderIdentifier?

  /// What is known of a purchase.
  package init(kind: ProductKind, delivery: Delivery, use: Use, token: OrderIdentifier? = nil) {
    self.kind = kind
    self.delivery = delivery
    self.use = use
    self.token = token
  }
}

/// What Apple is told; made of records and policy alone.
package enum ConsumptionAnswer {
  /// All of something, in Apple's milliunits.
  private static let whole: Int64 = 100_000

  /// How much is used up, 0 to 100 000; nil where it is not known or Apple wants no word of it.
  static func percentage(_ facts: ConsumptionFacts, at now: Timestamp) -> Int? {
    guard facts.kind != .autoRenewable else { return nil }
    // What did not arrive is not used up; Apple takes no other word.
    guard facts.delivery == .arrived else { return 0 }
    switch facts.use {
    case .units(let left, let all): return share(all - left, of: all)
    case .time(let from, let until):
      let length = until - from
      return share(min(max(now - from, .zero), length).milliseconds, of: length.milliseconds)
    case .unknown: return nil
    }
  }

  /// Rounded down, but what is used in part stays so: neither nothing nor all.
  private static func share(_ used: Int64, of all: Int64) -> Int {
    guard all > 0, used > 0 else { return 0 }
    guard used < all else { return Int(whole) }
    let product = used.magnitude.multipliedFullWidth(by: whole.magnitude)
    return Int(max(1, all.magnitude.dividingFullWidth(product).quotient))
  }

  private static func preference(
    _ facts: ConsumptionFacts, _ percentage: Int?, _ policy: ConsumptionPolicy
  ) -> ConsumptionRequest.RefundPreference? {
    // Whoever paid and got nothing is to have his money back.
    guard facts.delivery == .arrived else { return .grantFull }
    switch policy.preference {
    case .none: return nil
    case .decline: return .decline
    case .prorated:
      if facts.kind == .autoRenewable { return .grantProrated }
      // A part can be refunded only of what is used up in part.
      guard let percentage else { return nil }
      return percentage == 0 ? .grantFull : percentage < whole ? .grantProrated : .decline
    }
  }

  /// The answer in the present form.
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
    request.refundPreference = preference(facts, request.consumptionPercentage, policy)
    return request
  }

  /// The answer in the first form, for transactions of the Advanced Commerce API, which the present one does not take.
  /// What we do not know stays undeclared.
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
    switch preference(facts, percentage, policy) {
    case .grantFull, .grantProrated: request.refundPreference = 1
    case .decline: request.refundPreference = 2
    case nil: request.refundPreference = 0
    }
    return request
  }
}
