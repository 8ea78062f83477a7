import AppStoreIntegration
import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// Routes for the payment evidence of clients.
enum PaymentRoutes {
  static let all: [Route] = [submitAppStore, reportFinished]

  private static let submitAppStore = Route(
    "POST", SubmitAppStorePayment.path, name: "SubmitAppStorePayment", access: [.user, .backend, .publishable],
    bodyBytesMax: ContractLimits.signedDataBytesMax + (16 << 10),
    documentation: RouteDocumentation(
      summary: "Hands in a signed transaction; the answer says what is known and whether it may be finished.",
      about: .maybeUser, query: [.userId], request: "SubmitAppStorePayment", answer: "SubmittedPayments",
      codes: [
        .evidenceMissing, .evidenceUnreadable, .transactionUnknown, .verificationBusy, .storeNotConfigured,
      ])
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(SubmitAppStorePayment.Request.init(json:))
    let user = try call.optionalUser(named: body.user)
    try call.checkBuyer(user)
    let payer = try subject(call, app, user: user)
    let answer = try await call.server.engine.submitAppStorePayment(
      body, from: user, for: app, sentBy: payer.text)
    call.concerns(answer.payments.flatMap { [$0.transaction.text] + ($0.order.map { [$0.description] } ?? []) })
    if answer.payments.contains(where: { $0.verdict == .refused }) {
      call.server.rates.chargeForFailedCheck(payer, at: call.server.now)
    }
    return call.answer(answer.json)
  }

  /// The subject that pays for a check of false evidence: the user, even if a gateway forwards the phone's data, so
  /// that one user cannot use up the limit of all. Without a user: the key, or the address of an app.
  private static func subject(
    _ call: Call, _ app: AppPolicy, user: UserIdentifier?
  ) throws(CodedError<ServerErrorCode>) -> RateLimits.Subject {
    guard case .backend = call.caller, let user else { return call.rateSubject ?? call.peer }
    let subject = RateLimits.Subject.user(app.id, user)
    guard call.server.rates.allows(subject, at: call.server.now) else { throw CodedError(.tooManyRequests) }
    return subject
  }

  private static let reportFinished = Route(
    "POST", ReportFinished.path, name: "ReportFinished", access: [.user, .backend],
    documentation: RouteDocumentation(
      summary: "The client has finished these transactions at the store.", about: .maybeUser, query: [.userId],
      request: "ReportFinished", answer: "Noted")
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(ReportFinished.Request.init(json:))
    let user = try call.optionalUser(named: body.user)
    let noted = try await call.server.engine.reportFinished(body.transactions, of: user, for: app)
    return call.answer(.members([("noted", .integer(noted))]))
  }
}
