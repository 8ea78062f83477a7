package import StrictJSON

/// The result of a comparison of a day's fund-flow bill with its trade bill and with our refunds.
///
/// The fund-flow bill is the only record of fees, withdrawals and balances. It concerns the whole merchant, so lines of
/// other systems are compared too.
package struct FundFlowReport: Hashable, Sendable {
  package typealias Sum = ReconciliationReport.Sum

  /// Whether there was a bill to compare.
  package enum State: Hashable, Sendable {
    case compared
    /// There is none yet, or WeChat Pay did not answer: it is tried again. The text gives the reason.
    case later(String)
    /// WeChat Pay refuses it for good, such as to a merchant without this permission.
    case refused(String)

    package var name: String {
      switch self {
      case .compared: "compared"
      case .later: "later"
      case .refused: "refused"
      }
    }

    var reason: String? {
      switch self {
      case .compared: nil
      case .later(let why), .refused(let why): why
      }
    }
  }

  /// One difference.
  package struct Finding: Hashable, Sendable {
    /// The kind of difference; the names are permanent.
    package enum Kind: String, Hashable, CaseIterable, Sendable {
      /// The trade bill has it, and no money moved.
      case notInFundFlow
      /// A payment or refund moved money, and the trade bill does not have it.
      case notInTradeBill
      /// The money that moved is not the amount of the trade bill.
      case amountDiffers
      /// The fee that was taken or given back is not that of the trade bill.
      case feeDiffers
      /// Two lines of one kind for one payment, refund or transfer.
      case doubledLine
      /// Money of a refund came back, and the refund is not closed here.
      case returnedRefundDiffers
      /// The balance after a line is not the balance before it plus its amount.
      case balanceDiffers
      /// A line whose reason this version does not know.
      case unknownMovement
    }

    package var kind: Kind
    /// WeChat Pay's number of the payment, the refund or the transfer.
    package var number: String
    /// In fen, of the fund-flow bill; negative if money left the account.
    package var flowAmount: Int64?
    /// In fen: what the trade bill, or the balance before, makes of it.
    package var expectedAmount: Int64?
    /// The details: a word of the bill, our number of the refund.
    package var details: String?
  }

  package var state: State
  /// The balance of the basic account before the first line and after the last one, in fen. On a day without lines
  /// it is the balance after the day before, if that is known.
  package var opening: Int64?
  package var closing: Int64?
  package var payments = Sum()
  package var refunds = Sum()
  package var returnedRefunds = Sum()
  /// Fees that were taken, and those that were given back.
  package var fees = Sum()
  package var returnedFees = Sum()
  package var topUps = Sum()
  package var withdrawals = Sum()
  package var others = Sum()
  /// Lines of the minutes around midnight without a partner: it may be in the neighbouring day's bill.
  package var atMidnight = 0
  package var findings: [Finding] = []

  init(_ state: State) { self.state = state }

  /// Whether a later try may know more.
  var mayBeTriedAgain: Bool {
    if case .later = state { true } else { false }
  }

  /// The report as JSON. The names are permanent: a later day reads the closing balance here.
  package var json: JSONValue {
    .members([
      ("state", .string(state.name)), ("reason", state.reason.map(JSONValue.string)),
      ("opening", opening.map { .integer($0) }), ("closing", closing.map { .integer($0) }),
      ("payments", payments.json), ("refunds", refunds.json), ("returnedRefunds", returnedRefunds.json),
      ("fees", fees.json), ("returnedFees", returnedFees.json), ("topUps", topUps.json),
      ("withdrawals", withdrawals.json), ("others", others.json), ("atMidnight", .integer(atMidnight)),
      ("differences", .integer(findings.count)), ("findings", .array(findings.map(\.json))),
    ])
  }
}

extension FundFlowReport.Finding {
  var json: JSONValue {
    .members([
      ("kind", .string(kind.rawValue)), ("number", .string(number)), ("flowAmount", flowAmount.map { .integer($0) }),
      ("expectedAmount", expectedAmount.map { .integer($0) }), ("details", details.map(JSONValue.string)),
    ])
  }
}
