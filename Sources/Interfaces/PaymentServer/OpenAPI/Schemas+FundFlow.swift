import StrictJSON
import WeChatPayIntegration

extension Schemas {
  /// A day's fund-flow bill, compared with its trade bill.
  static let fundFlow = object(
    required: ["state", "atMidnight", "differences"],
    [
      ("state", words(["compared", "later", "refused"])), ("reason", text), ("opening", whole), ("closing", whole),
      ("payments", sum), ("refunds", sum), ("returnedRefunds", sum), ("fees", sum), ("returnedFees", sum),
      ("topUps", sum), ("withdrawals", sum), ("others", sum), ("atMidnight", whole), ("differences", whole),
      (
        "findings",
        list(
          object(
            required: ["kind", "number"],
            [
              ("kind", words(FundFlowReport.Finding.Kind.allCases.map(\.rawValue))), ("number", text),
              ("flowAmount", whole), ("expectedAmount", whole), ("details", text),
            ]))
      ),
    ])
}
