import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer

/// Signing in, and confirming, with the token of an identity provider. A proxy adds it to each request.
struct ProviderSignIn {
  let console: Console

  /// The field of the form that confirms with the provider.
  static let field = "provider"

  func signIn(_ visit: ConsoleVisit) async throws -> HTTPResponse {
    let entry = console.signIn
    try entry.admit(visit)
    guard let identity = try await identity(visit) else {
      return entry.showSignIn(visit, failed: true, because: Self.refused)
    }
    let outcome = try await console.engine.signIn(
      as: identity, needsFactor: console.settings.needsFactor, from: entry.visitor(visit))
    return entry.answer(outcome, visit, refusal: Self.refused)
  }

  /// Whether a request came with a token of the provider, which was not verified; nil if none is configured.
  func hasToken(_ visit: ConsoleVisit) -> Bool? {
    console.settings.identity.map { $0.hasToken(visit.request, from: visit.peer) }
  }

  /// Whether a new sign-in at the provider may confirm what this operator does.
  func mayConfirm(_ call: SignedInVisit) -> Bool {
    console.settings.identity != nil && OperatorAccount.isFromProvider(call.account.name)
  }

  /// The token of the session that follows; nil if the identity confirms nothing.
  func prove(_ call: SignedInVisit) async throws -> String? {
    guard let identity = try await identity(call.visit) else { return nil }
    return try await console.engine.prove(call.session, as: identity, from: console.signIn.visitor(call.visit))
  }

  /// Who the request comes from; nil, with an entry in the audit log, if its token is not taken. Nil if no provider is
  /// configured: the header of anybody then means nothing.
  private func identity(_ visit: ConsoleVisit) async throws -> ProviderIdentity? {
    guard let verification = console.settings.identity else { return nil }
    let problem: IdentityTokenProblem
    do throws(IdentityTokenProblem) {
      return try await verification.identity(of: visit.request, from: visit.peer, at: visit.now)
    } catch { problem = error }
    try await console.engine.refuseProviderToken(problem.rawValue, from: console.signIn.visitor(visit))
    return nil
  }

  // MARK: pages

  /// What the sign-in page offers: a button, or how to get one.
  static func entry(hasToken: Bool, _ language: Language) -> Markup {
    guard hasToken else { return .element(.p, .text(elsewhere[language])) }
    return form(to: LinkTarget(["console", "enter", "provider"]), title: title, in: language)
  }

  static func form(
    to target: LinkTarget, title: BilingualText, hidden: [Markup] = [], in language: Language
  ) -> Markup {
    .element(
      .form, [.of(.method, "post"), .action(target)], Markup(hidden),
      .element(.button, [.style("button main"), .of(.type, "submit")], .text(title[language])))
  }

  private static let title = BilingualText("Sign in with the identity provider", "通过身份提供商登录")
  private static let elsewhere = BilingualText(
    "This page was not reached through your identity provider's proxy, so its sign-in does not count here.",
    "您未经身份提供商的代理访问本页，其登录在此无效。")
  private static let refused = BilingualText(
    "The identity provider's sign-in was not taken: it is too old, gives no role here, or needs a second factor."
      + " Whoever runs this server finds the reason in the audit log.",
    "身份提供商的登录未被接受：已过期、在此没有角色，或需要第二重验证。管理员可在操作记录中查看原因。")
}
