public import PaymentVocabulary
import StrictJSON

/// How far a purchase was used, for Apple's decision on a refund.
public struct ConsumptionRequest: Hashable, Sendable {
  /// Whether the goods arrived.
  public enum DeliveryStatus: String, CaseIterable, Sendable {
    /// They did, and work.
    case delivered = "DELIVERED"
    /// They did not work properly.
    case undeliveredQualityIssue = "UNDELIVERED_QUALITY_ISSUE"
    /// Something else arrived.
    case undeliveredWrongItem = "UNDELIVERED_WRONG_ITEM"
    /// A server was down.
    case undeliveredServerOutage = "UNDELIVERED_SERVER_OUTAGE"
    /// For another reason.
    case undeliveredOther = "UNDELIVERED_OTHER"
  }

  /// What we would rather have Apple decide.
  public enum RefundPreference: String, CaseIterable, Sendable {
    /// No refund.
    case decline = "DECLINE"
    /// All of it.
    case grantFull = "GRANT_FULL"
    /// What is not used up.
    case grantProrated = "GRANT_PRORATED"
  }

  /// Whether the customer agreed that Apple is told; without it nothing may be sent.
  public var customerConsented: Bool
  /// Whether the goods arrived.
  public var deliveryStatus: DeliveryStatus
  /// Whether there was a free sample before the purchase.
  public var sampleContentProvided: Bool
  /// How much is used up: 100 000 is all of it. Not for subscriptions that Apple renews.
  public var consumptionPercentage: Int?
  /// What we would rather have Apple decide.
  public var refundPreference: RefundPreference?

  /// What every answer says.
  public init(customerConsented: Bool, deliveryStatus: DeliveryStatus, sampleContentProvided: Bool) {
    self.customerConsented = customerConsented
    self.deliveryStatus = deliveryStatus
    self.sampleContentProvided = sampleContentProvided
  }

  func body() throws(Refusal<AppStoreServerRequestErrorCode>) -> JSONValue {
    guard customerConsented else { throw Refusal(.consumption, "The customer has not consented.") }
    if let consumptionPercentage {
      guard (0...100_000).contains(consumptionPercentage) else {
        throw Refusal(.consumption, "The percentage lies outside 0 to 100000.")
      }
      guard consumptionPercentage == 0 || deliveryStatus == .delivered else {
        throw Refusal(.consumption, "What was not delivered is not used up.")
      }
      guard refundPreference != .grantProrated || (1..<100_000).contains(consumptionPercentage) else {
        throw Refusal(.consumption, "A part can be refunded only of what is used up in part.")
      }
    }
    return .members([
      ("customerConsented", .flag(customerConsented)),
      ("consumptionPercentage", .integer(consumptionPercentage.map { Int64($0) })),
      ("deliveryStatus", .text(deliveryStatus.rawValue)),
      ("refundPreference", .text(refundPreference?.rawValue)),
      ("sampleContentProvided", .flag(sampleContentProvided)),
    ])
  }
}

/// The same in the first version, by numbers. 0 means "undeclared" but for the delivery, where it means "arrived".
///
/// Source: `ConsumptionRequestV1`. Ranges that Apple counts by (days, minutes, dollars) stand in its documentation.
public struct ConsumptionRequestV1: Hashable, Sendable {
  /// Whether the customer agreed that Apple is told; without it nothing may be sent.
  public var customerConsented: Bool
  /// 1 not used, 2 partly, 3 wholly.
  public var consumptionStatus: Int64 = 0
  /// 1 Apple's, 2 another.
  public var platform: Int64 = 0
  /// Whether there was a free sample before the purchase.
  public var sampleContentProvided = false
  /// 0 arrived, 1 does not work, 2 wrong item, 3 server down, 4 currency changed, 5 other.
  public var deliveryStatus: Int64 = 0
  /// The order that it names; nil where it names none.
  public var appAccountToken: OrderIdentifier?
  /// The account's age: 1 under 3 days up to 7 over a year.
  public var accountTenure: Int64 = 0
  /// How long the app was used: 1 to 7.
  public var playTime: Int64 = 0
  /// Refunded in all: 1 nothing up to 7 at least 2,000 dollars.
  public var lifetimeDollarsRefunded: Int64 = 0
  /// Bought in all: 1 nothing up to 7 at least 2,000 dollars.
  public var lifetimeDollarsPurchased: Int64 = 0
  /// 1 active, 2 suspended, 3 terminated, 4 limited.
  public var userStatus: Int64 = 0
  /// 1 rather refund, 2 rather not, 3 no preference.
  public var refundPreference: Int64 = 0

  /// Nothing declared but the consent.
  public init(customerConsented: Bool) { self.customerConsented = customerConsented }

  func body() throws(Refusal<AppStoreServerRequestErrorCode>) -> JSONValue {
    guard customerConsented else { throw Refusal(.consumption, "The customer has not consented.") }
    let numbers: [(StaticString, Int64, Int64)] = [
      ("consumptionStatus", consumptionStatus, 3), ("platform", platform, 2), ("deliveryStatus", deliveryStatus, 5),
      ("accountTenure", accountTenure, 7), ("playTime", playTime, 7),
      ("lifetimeDollarsRefunded", lifetimeDollarsRefunded, 7),
      ("lifetimeDollarsPurchased", lifetimeDollarsPurchased, 7), ("userStatus", userStatus, 4),
      ("refundPreference", refundPreference, 3),
    ]
    for (name, value, most) in numbers where !(0...most).contains(value) {
      throw Refusal(.consumption, "\(name) lies outside 0 to \(most).")
    }
    return .members(
      [
        ("customerConsented", .flag(customerConsented)), ("sampleContentProvided", .flag(sampleContentProvided)),
        ("appAccountToken", .text(appAccountToken?.appAccountToken ?? "")),
      ] + numbers.map { name, value, _ in ("\(name)", .integer(value)) })
  }
}
