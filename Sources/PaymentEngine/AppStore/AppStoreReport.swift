public import PaymentVocabulary
public import StrictJSON

/// What a comparison of our ledger with Apple's own records found (对账).
public struct AppStoreReport: Hashable, Sendable {
  /// One thing that was not known here, or could not be taken in.
  public struct Finding: Hashable, Sendable {
    /// What kind of thing.
    public enum Kind: String, CaseIterable, Sendable {
      /// A payment that neither phone nor notification had told of.
      case missedPayment
      /// A refund that nobody had told of.
      case missedRefund
      /// A notification that had not arrived.
      case missedNotification
      /// Apple handed out something that does not verify here, or states too little.
      case unreadable
    }

    /// What kind of thing.
    public let kind: Kind
    /// The transaction, or the notification's id.
    public let subject: String
    /// Where it stands now; of what could not be taken in, why.
    public let state: String
    /// Whether it is put right: granted, taken back, imported.
    public let isHealed: Bool
  }

  /// The app.
  public let app: AppIdentifier
  /// Notifications read in Apple's history.
  public internal(set) var notifications = 0
  /// Customers whose history was read to its end.
  public internal(set) var customers = 0
  /// Transactions read in these.
  public internal(set) var transactions = 0
  /// Subscriptions that were asked about, because nothing was heard of their next period.
  public internal(set) var lines = 0
  /// Orders that went quiet, whose customers were read for that.
  public internal(set) var quietOrders = 0
  /// What was not known, or could not be taken in.
  public internal(set) var findings: [Finding] = []
  /// Why it did not come to its end; it goes on there next time.
  public internal(set) var stoppedBy: String?

  init(app: AppIdentifier) { self.app = app }

  /// What is neither put right nor explained: somebody has to look.
  public var differences: [Finding] { findings.filter { !$0.isHealed } }

  mutating func add(_ kind: Finding.Kind, _ subject: String, _ state: String, isHealed: Bool) {
    findings.append(Finding(kind: kind, subject: subject, state: state, isHealed: isHealed))
  }

  /// The report as JSON, with all findings.
  public var json: JSONValue {
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
