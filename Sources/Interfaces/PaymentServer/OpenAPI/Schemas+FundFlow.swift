import StrictJSON
import WeChatPayIntegration

extension Schemas {
  /// A stuck refund, and the bank account that it goes to.
  static let redirection = object(
    required: ["destination", "reason"],
    [
      ("destination", words(["merchantAccount", "payerCard"])),
      (
        "card",
        object(
          required: ["bank", "account", "holder"],
          [("bank", text(1...16)), ("account", text(8...32)), ("holder", text(1...160))])
      ), ("reason", text(1...1024)),
    ])

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
