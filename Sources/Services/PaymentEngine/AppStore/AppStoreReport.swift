package import PaymentPrimitives
package import StrictJSON

/// What a comparison of our ledger with Apple's own records found (对账).
package struct AppStoreReport: Hashable, Sendable {
  /// One thing that was not known here, or could not be taken in.
  package struct Finding: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
      /// A payment that neither phone nor notification had told of.
      case missedPayment
      /// A refund that nobody had told of.
      case missedRefund
      /// A notification that had not arrived.
      case missedNotification
      /// Apple handed out something that does not verify here, or states too little.
      case unreadable
    }

    package let kind: Kind
    /// The transaction, or the notification's id.
    package let subject: String
    /// Where it stands now; of what could not be taken in, why.
    package let state: String
    /// Whether it is put right: granted, taken back, imported.
    package let isHealed: Bool
  }

  package let app: AppIdentifier
  package internal(set) var notifications = 0
  /// Customers whose history was read to its end.
  package internal(set) var customers = 0
  package internal(set) var transactions = 0
  /// Subscriptions that were asked about, because nothing was heard of their next period.
  package internal(set) var lines = 0
  /// Orders that went quiet, whose customers were read for that.
  package internal(set) var quietOrders = 0
  /// What was not known, or could not be taken in.
  package internal(set) var findings: [Finding] = []
  /// Why it did not come to its end; it goes on there next time.
  package internal(set) var stoppedBy: String?

  init(app: AppIdentifier) { self.app = app }

  /// What is neither put right nor explained: somebody has to look.
  package var differences: [Finding] { findings.filter { !$0.isHealed } }

  mutating func add(_ kind: Finding.Kind, _ subject: String, _ state: String, isHealed: Bool) {
    findings.append(Finding(kind: kind, subject: subject, state: state, isHealed: isHealed))
  }

  /// The report as JSON, with all findings.
  package var json: JSONValue {
    .members([
      ("app", .string(app.text)), ("store", .string("appStore")), ("notifications", .integer(Int64(notifications))),
      ("customers", .integer(Int64(customers))), ("transactions", .integer(Int64(transactions))),
      ("lines", .integer(Int64(lines))), ("quietOrders", .integer(Int64(quietOrders))),
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
