import HTTPMessages
import PaymentEngine
import PaymentVocabulary
import ServerContract
import StrictJSON

/// What clients hand in of payments.
enum PaymentRoutes {
  static let all: [Route] = [submitAppStore, reportFinished]

  private static let submitAppStore = Route(
    "POST", SubmitAppStorePayment.path, "SubmitAppStorePayment", [.user, .backend, .publishable],
    bodyBytesMax: ContractLimits.signedDataBytesMax + (16 << 10),
    RouteDocumentation(
      summary: "Hands in a signed transaction. The answer says for each transaction what is known and whether it may be finished.",
      request: "SubmitAppStorePayment", answer: "SubmittedPayments",
      codes: [
        "evidence_missing", "evidence_unreadable", "transaction_unknown", "verification_busy",
        "store_not_configured", "outcome_unknown", "database_unavailable", "invariant_broken",
      ])
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(SubmitAppStorePayment.Request.init(json:))
    let user = try call.optionalUser(named: body.user)
    let answer = try await call.server.engine.submitAppStorePayment(body, from: user, for: app)
    return call.answer(answer.json)
  }

  private static let reportFinished = Route(
    "POST", ReportFinished.path, "ReportFinished", [.user, .backend],
    RouteDocumentation(
      summary: "The client has finished these transactions at the store.", request: "ReportFinished",
      answer: "Noted")
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(ReportFinished.Request.init(json:))
    let user = try call.optionalUser(named: body.user)
    let noted = try await call.server.engine.reportFinished(body.transactions, of: user, for: app)
    return call.answer(.members([("noted", .integer(noted))]))
  }
}
