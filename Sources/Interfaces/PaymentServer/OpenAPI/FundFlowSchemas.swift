import StrictJSON
import WeChatPayIntegration

/// Schemas of WeChat Pay's fund-flow bill and of redirected refunds.
enum FundFlowSchemas {
  /// A stuck refund, and the bank account that it goes to.
  static let redirection = Schemas.object(
    required: ["destination", "reason"],
    [
      ("destination", Schemas.words(["merchantAccount", "payerCard"])),
      (
        "card",
        Schemas.object(
          required: ["bank", "account", "holder"],
          [("bank", Schemas.text(1...16)), ("account", Schemas.text(8...32)), ("holder", Schemas.text(1...160))])
      ), ("reason", Schemas.text(1...1024)),
    ])

  /// A day's fund-flow bill, compared with its trade bill.
  static let fundFlow = Schemas.object(
    required: ["state", "atMidnight", "differences"],
    [
      ("state", Schemas.words(["compared", "later", "refused"])), ("reason", Schemas.text), ("opening", Schemas.whole),
      ("closing", Schemas.whole),
      ("payments", Schemas.sum), ("refunds", Schemas.sum), ("returnedRefunds", Schemas.sum), ("fees", Schemas.sum),
      ("returnedFees", Schemas.sum),
      ("topUps", Schemas.sum), ("withdrawals", Schemas.sum), ("others", Schemas.sum), ("atMidnight", Schemas.whole),
      ("differences", Schemas.whole),
      (
        "findings",
        Schemas.list(
          Schemas.object(
            required: ["kind", "number"],
            [
              ("kind", Schemas.words(FundFlowReport.Finding.Kind.allCases.map(\.rawValue))), ("number", Schemas.text),
              ("flowAmount", Schemas.whole), ("expectedAmount", Schemas.whole), ("details", Schemas.text),
            ]))
      ),
    ])
}
