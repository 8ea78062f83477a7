package import AppStoreProtocol
package import PaymentPrimitives
import SimulatorCore
package import StrictJSON

/// A customer's refund request that the App Store has not decided yet (rules AS-CONS-1, AS-CONS-2).
package struct SimulatedRefundRequest: Hashable, Sendable {
  package let transaction: TransactionIdentifier
  /// Why the customer wants it: `consumptionRequestReason`.
  package let reason: ConsumptionRequestReason
  package let askedAt: Timestamp

  package var decidedAt: Timestamp { askedAt + SimulatorLimits.refundDecision }
}

extension SimulatedRefundRequest {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    transaction = try fields.transactionId("transactionId")
    reason = try fields.converted("reason", Self.reasonForm, ConsumptionRequestReason.init(rawValue:))
    askedAt = try fields.timestamp("askedAt")
  }

  static let reasonForm = "one of Apple's five reasons, such as UNINTENDED_PURCHASE"

  /// The request as the log and the control API write it.
  package var json: JSONValue {
    .members([
      ("transactionId", .string(transaction.text)), ("reason", .string(reason.rawValue)),
      ("askedAt", .integer(askedAt.milliseconds)),
    ])
  }
}

/// The server's preference for a refund, in either version of its answer.
enum RefundPreference: Hashable, Sendable {
  case grantFull
  case grantProrated(percentage: Int64)
  case decline

  /// Reads the server's last answer; a full refund when it states no preference (rule AS-CONS-2).
  init(told words: String?) {
    let body = words.flatMap { try? JSONReader.read($0.utf8) }
    let used = body?["consumptionPercentage"]?.integer ?? 0
    switch (body?["refundPreference"]?.string, body?["refundPreference"]?.integer) {
    case ("DECLINE", _), (_, 2): self = .decline
    case ("GRANT_PRORATED", _): self = .grantProrated(percentage: SimulatedRevocation.wholePercentage - used)
    default: self = .grantFull
    }
  }
}
