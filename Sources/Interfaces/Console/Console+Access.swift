import Cryptography
import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// A request of a signed-in operator.
struct SignedInVisit {
  let visit: ConsoleVisit
  let account: OperatorAccount
  let session: ConsoleSession

  /// What each form of this session carries. It is computed from the cookie, so nothing is kept for it, and from the
  /// form nobody learns the cookie.
  let formToken: String

  var language: Language { visit.language }
}

// Who calls, and whether a form came from a page of theirs.
extension Console {
  func signedIn(_ visit: ConsoleVisit) async throws -> SignedInVisit? {
    guard let token = Cookies.value(ConsoleSettings.sessionCookie, of: visit.request),
      let found = try await engine.signedInOperator(token: token)
    else { return nil }
    return SignedInVisit(
      visit: visit, account: found.account, session: found.session, formToken: Self.formToken(of: token))
  }

  package static func formToken(of token: String) -> String {
    Base64URL.encode(Array(SHA256.hash(Array("counterfoil form \(token)".utf8))))
  }

  /// Whether a request that changes something came from a page of this origin. Browsers send `Origin` with every POST.
  func isFromOwnPage(_ visit: ConsoleVisit) -> Bool {
    let site = visit.request.fields["Sec-Fetch-Site"]
    return visit.request.fields.values("Origin") == [settings.origin] && (site == nil || site == "same-origin")
  }

  /// The form of a request that changes something.
  ///
  /// - Throws: `foreignForm`, which leaves an entry in the audit log; `formInvalid`.
  func form(_ call: SignedInVisit) async throws -> WebForm {
    guard let form = WebForm(call.visit.request) else {
      throw ConsoleProblem.formInvalid(BilingualText("Fill it in again.", "请重新填写。"))
    }
    let isOurs = form["token"].map { ConstantTime.isEqual(Array($0.utf8), Array(call.formToken.utf8)) } ?? false
    guard isOurs, isFromOwnPage(call.visit) else {
      try await engine.enterRefusal(description("form.refused", call), problem: "foreign_form")
      throw ConsoleProblem.foreignForm
    }
    return form
  }

  /// An operator's action, for the audit log.
  ///
  /// - Parameter press: names one press of a button; nil for a new name.
  func description(_ action: String, _ call: SignedInVisit, press: String? = nil) -> ActionDescription {
    // The session is in it, so nobody can use up the name of somebody else's press.
    let key = press.map { Array(SHA256.hash(Array("\(call.session.digest) \($0)".utf8))).hexadecimal }
    var description = ActionDescription(
      action, by: .account, call.account.name.text, key: key ?? dependencies.randomBytes(16).hexadecimal)
    description.address = call.visit.peer
    description.requestId = call.visit.requestId
    return description
  }

  // MARK: in and out

  func signOut(_ call: SignedInVisit) async throws -> HTTPResponse {
    try await engine.signOut(
      call.session, from: SignInVisitor(address: call.visit.peer, requestId: call.visit.requestId))
    var response = Self.redirect(to: LinkTarget(["console", "enter"]))
    response.fields.add("Set-Cookie", Cookies.setting(ConsoleSettings.sessionCookie, to: "", seconds: 0))
    return response
  }

  /// Keeps the language in a cookie, and goes back to the page.
  func changeLanguage(_ visit: ConsoleVisit) throws -> HTTPResponse {
    guard isFromOwnPage(visit), let form = WebForm(visit.request),
      let language = form["language"].flatMap(Language.init(rawValue:))
    else { throw ConsoleProblem.foreignForm }
    var response = Self.redirect(to: Self.ownPage(form["to"]))
    response.fields.add(
      "Set-Cookie", Cookies.setting(ConsoleSettings.languageCookie, to: language.rawValue, seconds: 31_536_000))
    return response
  }

  /// A page that a form names, if it is one of the console: another address would let a form lead elsewhere.
  static func ownPage(_ text: String?) -> LinkTarget {
    guard let text, !text.hasPrefix("//"), let target = RequestTarget(text), target.path.first == "console" else {
      return LinkTarget(["console"])
    }
    return LinkTarget(target.path, query: target.query.map { ($0.name, $0.value) })
  }

  /// The browser gets the page with a GET, so that a reload sends no form again.
  static func redirect(to target: LinkTarget) -> HTTPResponse {
    HTTPResponse(status: 303, fields: ["Location": target.text])
  }
}
