import AppStoreIntegration
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

extension OperatorListRoutes {
  static func json(_ subscription: Subscription) -> JSONValue {
    let renewal = subscription.renewal
    return .members([
      ("originalTransactionId", .string(subscription.key.transaction.text)),
      ("store", .string(subscription.key.store.rawValue)),
      ("environment", .string(subscription.key.environment.rawValue)),
      ("claimantId", subscription.claimant.map { .string($0.text) }),
      (
        "movedTo",
        subscription.transfer.map {
          .members([("userId", .string($0.user.text)), ("at", .string($0.at.iso8601))])
        }
      ), ("periodEnd", subscription.periodEnd.map { .string($0.iso8601) }),
      ("nextQuestionAt", subscription.askAt.map { .string($0.iso8601) }),
      ("willRenew", renewal.map { .bool($0.willRenew) }), ("renewsTo", renewal?.renewsTo.map { .string($0.text) }),
      ("expiration", renewal?.expiration.map { .string($0.rawValue) }),
      ("isInBillingRetry", renewal.map { .bool($0.isInBillingRetry) }),
      ("gracePeriodExpiresAt", renewal?.gracePeriodExpiresDate.map { .string($0.iso8601) }),
      ("priceIncrease", renewal?.priceIncrease.map { .string($0.rawValue) }),
    ])
  }

  /// A day that was compared; its differences only in the answer about this day.
  static func json(_ record: ReconciliationRecord, whole: Bool) -> JSONValue {
    let report = record.report.flatMap { try? JSONReader.read($0.utf8) }
    return .members([
      ("store", .string(record.store.rawValue)), ("day", .string(record.day)),
      ("environment", .string(record.appEnvironment.environment.rawValue)),
      ("triedAt", .string(record.triedAt.iso8601)), ("doneAt", record.doneAt.map { .string($0.iso8601) }),
      ("differences", report?["differences"]), ("healed", report?["healed"]), ("payments", report?["payments"]),
      ("refunds", report?["refunds"]), ("fees", report?["fees"]), ("coupons", report?["coupons"]),
      ("foreignLines", report?["foreignLines"]),
      ("findings", whole ? report?["findings"] ?? .array([]) : nil),
      ("fundFlow", report?["fundFlow"].map { whole ? $0 : withoutFindings($0) }),
    ])
  }

  private static func withoutFindings(_ fundFlow: JSONValue) -> JSONValue {
    .object((fundFlow.object ?? []).filter { $0.name != "findings" })
  }

  static func json(_ request: OpenConsumptionRequest) -> JSONValue {
    .members([
      ("transactionId", .string(request.payment.transaction.text)),
      ("environment", .string(request.payment.environment.rawValue)), ("askedAt", .string(request.askedAt.iso8601)),
      ("deadline", .string(request.deadline.iso8601)), ("nextAttemptAt", .string(request.nextAttemptAt.iso8601)),
      ("attempts", .integer(request.attempts)), ("reason", request.reason.map(JSONValue.string)),
      ("userId", request.user.map { .string($0.text) }), ("consented", .bool(request.isConsented)),
      ("wouldSend", request.answer),
    ])
  }
}
