import Cryptography
import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Signing in, and second factors: at the sign-in, and for what is confirmed with one.
struct ConsoleSignIn {
  let console: Console

  var engine: PaymentEngine { console.engine }
  var settings: ConsoleSettings { console.settings }
  private var dependencies: Dependencies { console.dependencies }
  private var rate: SignInRate { console.rate }

  static let passkeyTitle = BilingualText("Sign in with a passkey", "使用通行密钥登录")
  private static let confirmTitle = BilingualText("Confirm with your passkey", "使用通行密钥确认")
  private static let setUpTitle = BilingualText("Set up a passkey", "设置通行密钥")

  func visitor(_ visit: ConsoleVisit) -> SignInVisitor {
    SignInVisitor(address: visit.peer, requestId: visit.requestId)
  }

  // MARK: the page before

  /// The token of a browser that signs in, and the field that sets it if it is new.
  private func entry(_ visit: ConsoleVisit) -> (token: String, setting: String?) {
    if let token = Cookies.value(ConsoleSettings.entryCookie, of: visit.request),
      token.utf8.count == PaymentEngine.codeLength
    {
      return (token, nil)
    }
    let token = Base64URL.encode(dependencies.randomBytes(32))
    return (token, Cookies.setting(ConsoleSettings.entryCookie, to: token, seconds: nil))
  }

  /// - Parameter why: what the page says if it failed.
  func showSignIn(
    _ visit: ConsoleVisit, failed: Bool = false, because why: BilingualText = SignInPage.refused
  ) -> HTTPResponse {
    let entry = entry(visit)
    let request = engine.passkeyRequest(.signIn, for: APIKeyText.digest(of: entry.token), at: settings.origin)
    let page = SignInPage(
      failure: failed ? why : nil,
      provider: ProviderSignIn(console: console).hasToken(visit),
      passkey: PasskeyForm(
        request: request, target: LinkTarget(["console", "enter", "passkey"]), title: Self.passkeyTitle))
    var response = PageFrame.bare(Words.signIn[visit.language], page.markup(visit.language), for: visit, in: settings)
      .response(status: failed ? 403 : 200)
    if let setting = entry.setting { response.fields.add("Set-Cookie", setting) }
    return response
  }

  func signIn(_ visit: ConsoleVisit) async throws -> HTTPResponse {
    try admit(visit)
    guard let form = WebForm(visit.request), let code = form["code"] else { return showSignIn(visit, failed: true) }
    let pasted = code.split(separator: "#").last.map(String.init) ?? code
    return answer(
      try await engine.signIn(code: pasted, needsFactor: settings.needsFactor, from: visitor(visit)), visit,
      refusal: SignInPage.refused)
  }

  /// Answers a sign-in that is done, that waits for a second factor, or that was refused.
  func answer(_ outcome: SignInOutcome?, _ visit: ConsoleVisit, refusal: BilingualText) -> HTTPResponse {
    switch outcome {
    case nil: return showSignIn(visit, failed: true, because: refusal)
    case .signedIn(let token)?: return Self.signedIn(token)
    case .factorNeeded(let token)?:
      var response = Console.redirect(to: LinkTarget(["console", "enter", "factor"]))
      response.fields.add("Set-Cookie", Cookies.setting(ConsoleSettings.entryCookie, to: token, seconds: nil))
      return response
    }
  }

  /// Signs in with a passkey alone.
  func signInWithPasskey(_ visit: ConsoleVisit) async throws -> HTTPResponse {
    try admit(visit)
    guard let token = Cookies.value(ConsoleSettings.entryCookie, of: visit.request),
      let (answer, request) = passkey(in: visit, .signIn, for: APIKeyText.digest(of: token)),
      let session = try await engine.prove(nil, answer, to: request, from: visitor(visit))
    else { return showSignIn(visit, failed: true) }
    return Self.signedIn(session)
  }

  /// - Throws: `foreignForm`, `tooManyTries`.
  func admit(_ visit: ConsoleVisit) throws {
    guard console.isFromOwnPage(visit) else { throw ConsoleProblem.foreignForm }
    guard rate.allows(visit.peer, at: visit.now) else { throw ConsoleProblem.tooManyTries }
  }

  private static func signedIn(_ token: String, to target: LinkTarget = LinkTarget(["console"])) -> HTTPResponse {
    var response = Console.redirect(to: target)
    response.fields.add("Set-Cookie", Cookies.setting(ConsoleSettings.sessionCookie, to: token, seconds: nil))
    response.fields.add("Set-Cookie", Cookies.setting(ConsoleSettings.entryCookie, to: "", seconds: 0))
    return response
  }

  private func passkey(
    in visit: ConsoleVisit, _ purpose: PasskeyRequest.Purpose, for binding: String
  ) -> (answer: PasskeyAnswer, request: PasskeyRequest)? {
    guard let form = WebForm(visit.request), let (challenge, answer) = PasskeyForm.answer(in: form),
      let request = engine.passkeyRequest(purpose, for: binding, at: settings.origin, challenge: challenge)
    else { return nil }
    return (answer, request)
  }

  // MARK: a link's second factor

  private func pending(_ visit: ConsoleVisit) async throws -> (subject: FactorSubject, factors: OperatorFactors)? {
    guard let token = Cookies.value(ConsoleSettings.entryCookie, of: visit.request),
      let subject = try await engine.pendingSignIn(token: token),
      let factors = try await engine.factors(of: subject.account)
    else { return nil }
    return (subject, factors)
  }

  func showFactor(_ visit: ConsoleVisit, failed: Bool = false) async throws -> HTTPResponse {
    guard let (subject, factors) = try await pending(visit) else { return showSignIn(visit, failed: failed) }
    let target = LinkTarget(["console", "enter", "factor"])
    let request = engine.passkeyRequest(
      factors.isEmpty ? .register : .factor, for: subject.digest, at: settings.origin)
    var form = PasskeyForm(
      request: request, target: target, title: factors.isEmpty ? Self.setUpTitle : Self.confirmTitle)
    if factors.isEmpty { form.owner = (subject.account, engine.passkeyUser(subject.account), []) }
    let page = FactorPage(
      newSecret: factors.isEmpty ? engine.newCodeSecret(for: subject) : nil,
      asksCode: factors.isEmpty || factors.account.codes != nil, passkey: form, account: subject.account,
      target: target, failed: failed)
    return PageFrame.bare(FactorPage.title[visit.language], page.markup(visit.language), for: visit, in: settings)
      .response(status: failed ? 403 : 200)
  }

  func takeFactor(_ visit: ConsoleVisit) async throws -> HTTPResponse {
    try admit(visit)
    guard let (subject, factors) = try await pending(visit), let form = WebForm(visit.request) else {
      return showSignIn(visit, failed: true)
    }
    let token: String?
    if let code = form["factor"] {
      token = try await engine.prove(subject, code: code, from: visitor(visit))
    } else if factors.isEmpty {
      token = try await add(form, for: subject, visit)
    } else if let (answer, request) = passkey(in: visit, .factor, for: subject.digest) {
      token = try await engine.prove(subject, answer, to: request, from: visitor(visit))
    } else {
      token = nil
    }
    guard let token else { return try await showFactor(visit, failed: true) }
    return Self.signedIn(token)
  }

  private func add(_ form: WebForm, for subject: FactorSubject, _ visit: ConsoleVisit) async throws -> String? {
    guard let label = form["label"], label.utf8.count <= Passkey.labelBytesMax,
      let (answer, request) = passkey(in: visit, .register, for: subject.digest)
    else { return nil }
    return try await engine.addPasskey(for: subject, answer, label: label, to: request, from: visitor(visit))
  }

  // MARK: confirming

  /// Whether the operator has shown a second factor lately. In the simulated profile one without any need not.
  func isProved(_ call: SignedInVisit) async throws -> Bool {
    if call.session.isProved(at: call.visit.now) { return true }
    guard settings.isSimulated else { return false }
    return try await engine.factors(of: call.account.name)?.isEmpty ?? true
  }

  func showProve(_ call: SignedInVisit, failed: Bool = false, to: String? = nil) async throws -> HTTPResponse {
    guard let factors = try await engine.factors(of: call.account.name) else { throw ConsoleProblem.notFound }
    let to = to ?? call.visit.query("to") ?? "/console"
    let target = LinkTarget(["console", "prove"])
    var form = PasskeyForm(
      request: engine.passkeyRequest(.factor, for: call.session.digest, at: settings.origin), target: target,
      title: Self.confirmTitle)
    (form.formToken, form.to) = (call.formToken, to)
    let page = FactorPage(
      asksCode: factors.account.codes != nil, passkey: form, account: call.account.name, target: target,
      formToken: call.formToken, to: to, asksProvider: ProviderSignIn(console: console).mayConfirm(call),
      failed: failed)
    return PageFrame.bare(
      FactorPage.title[call.language], page.markup(call.language), for: call.visit, in: settings
    ).response(status: failed ? 403 : 200)
  }

  func prove(_ call: SignedInVisit, by form: WebForm) async throws -> HTTPResponse {
    guard rate.allows(call.visit.peer, at: call.visit.now) else { throw ConsoleProblem.tooManyTries }
    let subject = FactorSubject.session(call.session)
    let token: String?
    if let code = form["factor"] {
      token = try await engine.prove(subject, code: code, from: visitor(call.visit))
    } else if form[ProviderSignIn.field] != nil {
      token = try await ProviderSignIn(console: console).prove(call)
    } else if let (answer, request) = passkey(in: call.visit, .factor, for: subject.digest) {
      token = try await engine.prove(subject, answer, to: request, from: visitor(call.visit))
    } else {
      token = nil
    }
    guard let token else { return try await showProve(call, failed: true, to: form["to"]) }
    return Self.signedIn(token, to: Console.ownPage(form["to"]))
  }

  /// Leads to the page on which the operator confirms who they are, and from there back.
  static func proveFirst(backTo target: LinkTarget) -> HTTPResponse {
    Console.redirect(to: LinkTarget(["console", "prove"], query: [("to", target.text)]))
  }

  // MARK: one's own account

  func showAccount(_ call: SignedInVisit) async throws -> HTTPResponse {
    guard let factors = try await engine.factors(of: call.account.name) else { throw ConsoleProblem.notFound }
    var form = PasskeyForm(
      request: engine.passkeyRequest(.register, for: call.session.digest, at: settings.origin),
      target: LinkTarget(["console", "me", "passkeys"]), title: Self.setUpTitle)
    form.owner = (call.account.name, engine.passkeyUser(call.account.name), factors.passkeys)
    form.formToken = call.formToken
    let page = AccountPage(
      call: call, factors: factors, sessions: try await engine.sessions(of: call.account.name), passkey: form)
    return console.frame(call.account.name.text, page.markup, for: call, at: .account).response()
  }

  private static let accountPage = LinkTarget(["console", "me"])

  func endSessions(_ call: SignedInVisit, by form: WebForm) async throws -> HTTPResponse {
    let kept = form["which"] == "others" ? call.session : nil
    _ = try await engine.endSessions(of: call.account.name, but: kept, console.description("session.endAll", call))
    return Console.redirect(to: Self.accountPage)
  }

  func addPasskey(_ call: SignedInVisit, by form: WebForm) async throws -> HTTPResponse {
    guard try await isProved(call) else { return Self.proveFirst(backTo: Self.accountPage) }
    guard let token = try await add(form, for: .session(call.session), call.visit) else {
      throw ConsoleProblem.formInvalid(BilingualText("The passkey was not taken.", "未能添加该通行密钥。"))
    }
    return Self.signedIn(token, to: Self.accountPage)
  }

  func removePasskey(_ credential: String, of call: SignedInVisit) async throws -> HTTPResponse {
    guard try await isProved(call) else { return Self.proveFirst(backTo: Self.accountPage) }
    var what = console.description("passkey.remove", call)
    (what.objectKind, what.object) = ("passkey", String(credential.prefix(16)))
    _ = try await engine.removePasskey(credential, of: call.account.name, what)
    return Console.redirect(to: Self.accountPage)
  }
}
