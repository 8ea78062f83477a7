import PaymentEngine
package import PaymentPrimitives
package import StrictJSON

/// The result of a comparison of our ledger with Apple's records (对账).
package struct AppStoreReport: Hashable, Sendable {
  /// One thing that was not known here, or could not be processed.
  package struct Finding: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
      /// A payment that neither the client nor a notification had reported.
      case missedPayment
      /// A refund that nothing had reported.
      case missedRefund
      /// A notification that had not arrived.
      case missedNotification
      /// Apple returned data that does not verify here, or states too little.
      case unreadable
    }

    package let kind: Kind
    /// The transaction, or the id of the notification.
    package let subject: String
    /// Its present state; if it could not be processed, the reason.
    package let state: String
    /// Whether the difference is fixed: granted, taken back, imported.
    package let isHealed: Bool
  }

  package let app: AppIdentifier
  package internal(set) var notifications = 0
  /// Customers with a completely read history.
  package internal(set) var customers = 0
  package internal(set) var transactions = 0
  /// Subscriptions that were asked about because their next period is unknown.
  package internal(set) var subscriptions = 0
  /// Orders without recent updates; the histories of their customers were read for that reason.
  package internal(set) var quietOrders = 0
  /// What was not known, or could not be processed.
  package internal(set) var findings: [Finding] = []
  /// Why the run stopped early; the next run continues there.
  package internal(set) var stoppedBy: String?

  init(app: AppIdentifier) { self.app = app }

  /// Findings that are neither fixed nor explained: an operator must look at them.
  package var differences: [Finding] { findings.filter { !$0.isHealed } }

  mutating func add(_ kind: Finding.Kind, _ subject: String, state: String, isHealed: Bool) {
    findings.append(Finding(kind: kind, subject: subject, state: state, isHealed: isHealed))
  }

  /// The report as JSON, with all findings.
  package var json: JSONValue {
    .members([
      ("app", .string(app.text)), ("store", .string("appStore")), ("notifications", .integer(Int64(notifications))),
      ("customers", .integer(Int64(customers))), ("transactions", .integer(Int64(transactions))),
      ("lines", .integer(Int64(subscriptions))), ("quietOrders", .integer(Int64(quietOrders))),
      ("healed", .integer(Int64(findings.count - differences.count))),
      ("differences", .integer(Int64(differences.count))), ("stoppedBy", stoppedBy.map(JSONValue.string)),
      (
        "findings",
        .array(
          findings.map { finding in
            .members([
              ("kind", .string(finding.kind.rawValue)), ("transactionId", .string(finding.subject)),
              ("details", .string(finding.state)), ("healed", .bool(finding.isHealed)),
            ])
          })
      ),
    ])
  }
}
