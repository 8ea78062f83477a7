package import PaymentPrimitives
import StrictJSON

/// How much of a purchase was used, for Apple's decision on a refund.
package struct ConsumptionRequest: Hashable, Sendable {
  package enum DeliveryStatus: String, CaseIterable, Sendable {
    case delivered = "DELIVERED"
    case undeliveredQualityIssue = "UNDELIVERED_QUALITY_ISSUE"
    case undeliveredWrongItem = "UNDELIVERED_WRONG_ITEM"
    case undeliveredServerOutage = "UNDELIVERED_SERVER_OUTAGE"
    case undeliveredOther = "UNDELIVERED_OTHER"
  }

  /// Our preference for Apple's decision.
  package enum RefundPreference: String, CaseIterable, Sendable {
    case decline = "DECLINE"
    case grantFull = "GRANT_FULL"
    case grantProrated = "GRANT_PRORATED"
  }

  /// Whether the customer consents to this report to Apple. Without consent nothing may be sent.
  package var customerConsented: Bool
  package var deliveryStatus: DeliveryStatus
  /// Whether a free sample was available before the purchase.
  package var sampleContentProvided: Bool
  /// The used share: 100 000 means the whole purchase. Not for auto-renewable subscriptions.
  package var consumptionPercentage: Int?
  /// Our preference for Apple's decision.
  package var refundPreference: RefundPreference?

  package init(customerConsented: Bool, deliveryStatus: DeliveryStatus, sampleContentProvided: Bool) {
    self.customerConsented = customerConsented
    self.deliveryStatus = deliveryStatus
    self.sampleContentProvided = sampleContentProvided
  }

  func body() throws(CodedError<AppStoreServerRequestErrorCode>) -> JSONValue {
    guard customerConsented else { throw CodedError(.consumption, "The customer has not consented.") }
    if let consumptionPercentage {
      guard (0...100_000).contains(consumptionPercentage) else {
        throw CodedError(.consumption, "The percentage lies outside 0 to 100000.")
      }
      guard consumptionPercentage == 0 || deliveryStatus == .delivered else {
        throw CodedError(.consumption, "What was not delivered is not used up.")
      }
      guard refundPreference != .grantProrated || (1..<100_000).contains(consumptionPercentage) else {
        throw CodedError(.consumption, "A part can be refunded only of what is used up in part.")
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

/// The same information in version 1, with numbers. 0 means "undeclared", except for the delivery status, where it
/// means "arrived".
///
/// Source: `ConsumptionRequestV1`. Apple's documentation defines the ranges (days, minutes, dollars).
package struct ConsumptionRequestV1: Hashable, Sendable {
  /// Whether the customer consents to this report to Apple. Without consent nothing may be sent.
  package var customerConsented: Bool
  /// 1 not used, 2 partly used, 3 fully used.
  package var consumptionStatus: Int64 = 0
  /// 1 Apple's platform, 2 another one.
  package var platform: Int64 = 0
  /// Whether a free sample was available before the purchase.
  package var sampleContentProvided = false
  /// 0 arrived, 1 does not work, 2 wrong item, 3 server down, 4 currency changed, 5 other.
  package var deliveryStatus: Int64 = 0
  /// The order of the purchase; nil if it names none.
  package var appAccountToken: OrderIdentifier?
  /// The age of the account, from 1 (under 3 days) to 7 (over a year).
  package var accountTenure: Int64 = 0
  /// The total time of use of the app, from 1 to 7.
  package var playTime: Int64 = 0
  /// The total of refunds, from 1 (none) to 7 (at least 2,000 dollars).
  package var lifetimeDollarsRefunded: Int64 = 0
  /// The total of purchases, from 1 (none) to 7 (at least 2,000 dollars).
  package var lifetimeDollarsPurchased: Int64 = 0
  /// 1 active, 2 suspended, 3 terminated, 4 limited.
  package var userStatus: Int64 = 0
  /// 1 prefer a refund, 2 prefer no refund, 3 no preference.
  package var refundPreference: Int64 = 0

  package init(customerConsented: Bool) { self.customerConsented = customerConsented }

  func body() throws(CodedError<AppStoreServerRequestErrorCode>) -> JSONValue {
    guard customerConsented else { throw CodedError(.consumption, "The customer has not consented.") }
    let numbers: [(StaticString, Int64, Int64)] = [
      ("consumptionStatus", consumptionStatus, 3), ("platform", platform, 2), ("deliveryStatus", deliveryStatus, 5),
      ("accountTenure", accountTenure, 7), ("playTime", playTime, 7),
      ("lifetimeDollarsRefunded", lifetimeDollarsRefunded, 7),
      ("lifetimeDollarsPurchased", lifetimeDollarsPurchased, 7), ("userStatus", userStatus, 4),
      ("refundPreference", refundPreference, 3),
    ]
    for (name, value, most) in numbers where !(0...most).contains(value) {
      throw CodedError(.consumption, "\(name) lies outside 0 to \(most).")
    }
    return .members(
      [
        ("customerConsented", .flag(customerConsented)), ("sampleContentProvided", .flag(sampleContentProvided)),
        ("appAccountToken", .text(appAccountToken?.appAccountToken ?? "")),
      ] + numbers.map { name, value, _ in ("\(name)", .integer(value)) })
  }
}
