import Console
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import StrictJSON
import TestPasskeys
import Testing

@Suite struct `Signing in through an identity provider` {
  @Test func `is not possible where none is configured, whatever header a browser sends`() async throws {
    let provider = try ProviderFixture()
    let fixture = try ConsoleFixture(isSimulated: false)
    var browser = Browser(fixture: fixture)
    browser.address = ProviderFixture.proxy
    browser.fields = [(ProviderFixture.header, provider.token(provider.claims()))]
    let answer = await browser.post("/console/enter/provider", [])
    #expect(answer.status == 403 && answer.cookie == nil)
    #expect(try await fixture.shop.engine.operatorAccounts().isEmpty)
    #expect(await !browser.get("/console/enter").page.contains("/console/enter/provider"))
    // The header alone opens no page either: a session is needed.
    #expect(
      await provider.browser(provider.token(provider.claims())).get("/console/app/shop").location == "/console/enter")
  }

  @Test func `is not taken from a page of another origin`() async throws {
    let provider = try ProviderFixture()
    for (origin, site) in [(nil, nil), ("https://evil.test", nil), (ConsoleFixture.origin, "cross-site")]
      as [(String?, String?)]
    {
      var browser = provider.browser(provider.token(provider.claims()))
      (browser.origin, browser.site) = (origin, site)
      let answer = await provider.enter(browser)
      #expect(answer.status == 403 && answer.cookie == nil)
    }
  }

  @Test func `is refused to a disabled account, whatever its token says`() async throws {
    let provider = try ProviderFixture()
    let before = try await provider.signedIn()
    _ = try await provider.engine.disableAccount(provider.name(), by: "tests")
    #expect(await before.get("/console/app/shop").location == "/console/enter")
    for changes: [(String, JSONValue?)] in [[], [("groups", .array(["payments-admin"]))], [("amr", nil)]] {
      let token = provider.token(provider.claims("lin", in: ["help"], changes))
      #expect(await provider.enter(provider.browser(token)).cookie == nil)
    }
    let account = try #require(try await provider.account())
    #expect(account.disabledAt != nil && account.roles == ["shop": .support])
  }

  @Test func `without a role in the token is refused, and takes the roles of earlier ones away`() async throws {
    let provider = try ProviderFixture()
    let before = try await provider.signedIn(in: ["help"])
    for groups: JSONValue? in [nil, "", "HELP", .array([]), .array(["other"]), .integer(1), .array([.integer(1)])] {
      provider.wait(.minutes(1))
      let token = provider.token(provider.claims("lin", in: [], [("groups", groups)]))
      #expect(await provider.enter(provider.browser(token)).cookie == nil)
      #expect(await before.get("/console/app/shop").location == "/console/enter")
    }
    #expect(try await provider.account()?.roles == [:])
    #expect(try await provider.problems() == Array(repeating: "role_missing", count: 7))
    // Somebody without a role leaves no account.
    _ = await provider.enter(provider.browser(provider.token(provider.claims("wang", in: []))))
    #expect(try await provider.account("wang") == nil)
  }

  @Test func `with lower roles ends the sessions with higher ones`() async throws {
    let provider = try ProviderFixture()
    let admin = try await provider.signedIn(in: ["payments-admin"])
    #expect(await admin.get("/console/accounts").status == 200)
    let viewer = try await provider.signedIn(in: ["see"])
    #expect(await admin.get("/console/accounts").location == "/console/enter")
    #expect(await viewer.get("/console/accounts").status == 403)
    #expect(await viewer.get("/console/app/shop").status == 200)
    #expect(try await provider.account()?.roles == ["shop": .viewer])
    // With the same roles the other sessions go on.
    _ = try await provider.signedIn(in: ["see"])
    #expect(await viewer.get("/console/app/shop").status == 200)
  }

  @Test func `gives for each app the role of the first rule that fits`() async throws {
    let provider = try ProviderFixture()
    _ = try await provider.signedIn(in: ["see", "books", "help"])
    #expect(try await provider.account()?.roles == ["shop": .support])
    _ = try await provider.signedIn(in: ["books", "payments-admin"])
    #expect(try await provider.account()?.roles == ["*": .admin, "shop": .finance])
    let byAddress = try ProviderFixture { $0.rolesClaim = "email" }
    for (isVerified, isTaken) in [(.bool(false), false), ("true", false), (.bool(true), true), (nil, true)]
      as [(JSONValue?, Bool)]
    {
      let claims = byAddress.claims("lin", in: [], [("email", "help"), ("email_verified", isVerified)])
      #expect((await byAddress.enter(byAddress.browser(byAddress.token(claims))).cookie != nil) == isTaken)
    }
  }

  @Test func `is refused without a second factor, there or here, and a token alone sets none up`() async throws {
    let provider = try ProviderFixture()
    let weak: [(String, JSONValue?)] = [("amr", .array(["pwd"]))]
    let token = provider.token(provider.claims("lin", in: ["help"], weak))
    let refused = await provider.enter(provider.browser(token))
    #expect(refused.status == 403 && refused.cookie == nil)
    #expect(try await provider.problems() == ["factor_not_set_up"])
    // The account is there, so that somebody on the server's machine can make a link, which sets a factor up.
    let name = provider.name()
    let code = try #require(try await provider.engine.makeSignInLink(for: name, by: "tests"))
    var browser = provider.browser(token)
    browser.entry = try #require(
      await browser.post("/console/enter", [("code", code)]).cookie("__Host-counterfoil-entry"))
    let subject = try #require(try await provider.engine.pendingSignIn(token: browser.entry))
    let secret = provider.engine.newCodeSecret(for: subject)
    func shown() -> String { OneTimeCode.text(secret, step: OneTimeCode.step(at: provider.now)) }
    #expect(await browser.post("/console/enter/factor", [("factor", shown())]).cookie != nil)
    // From then on it is asked for behind the token.
    provider.wait(.minutes(1))
    let second = await provider.enter(browser)
    #expect(second.location == "/console/enter/factor" && second.cookie == nil)
    browser.entry = try #require(second.cookie("__Host-counterfoil-entry"))
    browser.cookie = try #require(await browser.post("/console/enter/factor", [("factor", shown())]).cookie)
    #expect(await browser.get("/console/app/shop").status == 200)
  }

  @Test func `confirms actions for five minutes after the sign-in at the provider, and not without its time`()
    async throws
  {
    let provider = try ProviderFixture()
    for (seconds, isProved) in [(-301, false), (-300, false), (-299, true), (0, true), (nil, false)] as [(Int64?, Bool)]
    {
      let time = seconds.map { JSONValue.integer(provider.now.seconds + $0) }
      let browser = try await provider.signedIn("lin", in: ["help"], [("auth_time", time)])
      #expect(try await confirms(browser) == isProved, "\(seconds ?? .min)")
    }
  }

  /// Whether a session may add a passkey, which only one with a fresh second factor may.
  private func confirms(_ browser: Browser) async throws -> Bool {
    let token = try #require(await browser.get("/console/me").hidden("token"))
    let answer = await browser.post("/console/me/passkeys", [("token", token)])
    return !answer.location.hasPrefix("/console/prove")
  }

  @Test func `once more confirms the session of the same person with the same roles`() async throws {
    let provider = try ProviderFixture()
    var browser = try await provider.signedIn()
    provider.wait(.minutes(6))
    #expect(try await !confirms(browser))
    let page = await browser.get("/console/prove?to=%2Fconsole%2Fme")
    #expect(page.page.contains("Confirm with the identity provider"))
    let token = ("token", try #require(page.hidden("token")))
    func prove(_ claims: [(String, JSONValue?)]) async -> Browser.Answer {
      browser.fields = [(ProviderFixture.header, provider.token(claims))]
      return await browser.post("/console/prove", [token, ("to", "/console/me"), ("provider", "again")])
    }
    let old = JSONValue.integer(provider.now.seconds - 300)
    for claims in [
      provider.claims("lin", in: ["help"], [("auth_time", old)]),
      provider.claims("lin", in: ["help"], [("auth_time", nil)]), provider.claims("lin", in: ["help"], [("amr", nil)]),
      provider.claims("wang"), provider.claims("lin", in: ["payments-admin"]),
    ] {
      let answer = await prove(claims)
      #expect(answer.status == 403 && answer.cookie == nil)
    }
    let proved = await prove(provider.claims())
    #expect(proved.location == "/console/me")
    browser.cookie = try #require(proved.cookie)
    #expect(try await confirms(browser))
  }

  @Test func `cannot be passed by with a passkey alone, which confirms actions`() async throws {
    let provider = try ProviderFixture()
    let device = try SoftwareAuthenticator()
    func fields(_ challenge: String, create: Bool) throws -> [(String, String)] {
      let clientData = device.clientData(
        create ? "webauthn.create" : "webauthn.get", try #require(Base64URL.decode(challenge)))
      let data = create ? device.attestation(device.registrationData) : device.authenticatorData
      return [
        ("challenge", challenge), ("credential", Base64URL.encode(device.credential)),
        ("clientData", Base64URL.encode(clientData)), ("data", Base64URL.encode(data)),
        ("signature", create ? "" : Base64URL.encode(device.signature(data, clientData))), ("label", "laptop"),
      ]
    }
    var browser = try await provider.signedIn()
    let page = await browser.get("/console/me")
    let token = ("token", try #require(page.hidden("token")))
    let added = await browser.post(
      "/console/me/passkeys", [token] + (try fields(try #require(page.hidden("challenge")), create: true)))
    browser.cookie = try #require(added.cookie)
    provider.wait(.minutes(6))

    var alone = provider.browser(nil)
    let entry = await alone.get("/console/enter")
    alone.entry = try #require(entry.cookie("__Host-counterfoil-entry"))
    let answer = await alone.post(
      "/console/enter/passkey", try fields(try #require(entry.hidden("challenge")), create: false))
    #expect(answer.status == 403 && answer.cookie == nil)

    let prove = await browser.get("/console/prove")
    let proved = await browser.post(
      "/console/prove",
      [("token", try #require(prove.hidden("token")))]
        + (try fields(try #require(prove.hidden("challenge")), create: false)))
    #expect(proved.cookie != nil)
  }

  @Test func `names for each issuer and subject another account, none of which anybody else can have`() throws {
    let provider = try ProviderFixture()
    let long = String(repeating: "x", count: 49)
    let subjects = ["lin", "LIN", "lin@example.com", "auth0|lin", "林", long, long + "x", "sha256-lin", " "]
    var names: Set<OperatorName> = []
    for subject in subjects {
      for issuer in [ProviderFixture.issuer, ProviderFixture.issuer + "/"] {
        let name = provider.name(subject, at: issuer)
        #expect(OperatorAccount.isName(name.text) && OperatorAccount.isFromProvider(name), "\(name)")
        #expect(names.insert(name).inserted, "\(name)")
      }
    }
    #expect(provider.name("lin").text.hasPrefix("lin@sso-"))
    // Who may choose their subject cannot choose the digest of another one.
    let digest = String(provider.name("auth0|lin").text.prefix { $0 != "@" })
    #expect(provider.name(digest) != provider.name("auth0|lin"))
    for other in ["lin", "@sso-0123456789", "lin@sso-012345678", "lin@sso-012345678g", "lin@example.com"] {
      #expect(!OperatorAccount.isFromProvider(OperatorName(other)), "\(other)")
    }
  }

  @Test(arguments: [("ec", false), ("rsa", true)])
  func `opens the pages of the role, names the operator in the audit log, and ends with signing out`(
    kid: String, isRSA: Bool
  ) async throws {
    let provider = try ProviderFixture()
    var browser = provider.browser(
      provider.token(
        provider.claims(), kid: kid, by: isRSA ? .rs256 : .es256(ProviderFixture.ellipticKey)))
    let page = await browser.get("/console/enter").page
    #expect(page.contains("action=\"/console/enter/provider\"") && page.contains("Sign in with the identity provider"))
    let answer = await provider.enter(browser)
    #expect(answer.status == 303 && answer.location == "/console")
    browser.cookie = try #require(answer.cookie)
    #expect(await browser.get("/console/app/shop").status == 200)
    #expect(await browser.get("/console/me").page.contains(provider.name().text))
    let entry = try #require(try await provider.engine.auditLog(before: nil, limit: 1).first)
    #expect(entry.action == "session.signIn" && entry.actor == provider.name().text && entry.outcome == .done)
    #expect(entry.objectKind == "identity" && entry.object == "lin" && entry.address == ProviderFixture.proxy)

    let form = try #require(await browser.get("/console/app/shop").form("/console/leave"))
    #expect(await browser.post("/console/leave", form).location == "/console/enter")
    #expect(await browser.get("/console/app/shop").location == "/console/enter")
  }

  @Test func `is offered in Chinese, too, and said to be elsewhere without the proxy`() async throws {
    let provider = try ProviderFixture()
    let token = provider.token(provider.claims())
    #expect(await provider.browser(token, language: "zh").get("/console/enter").page.contains("通过身份提供商登录"))
    #expect(await provider.enter(provider.browser("x", language: "zh")).page.contains("身份提供商的登录未被接受"))
    for (language, words) in [("zh", "未经身份提供商的代理"), ("en", "not reached through your identity provider")] {
      var direct = provider.browser(token, language: language)
      direct.address = "192.0.2.1"
      for browser in [direct, provider.browser(nil, language: language)] {
        let page = await browser.get("/console/enter").page
        #expect(page.contains(words) && !page.contains("/console/enter/provider"))
      }
    }
  }

  @Test func `takes the token behind the word Bearer, and asks for no second factor in the simulated profile`()
    async throws
  {
    let provider = try ProviderFixture(isSimulated: true)
    let claims = provider.claims("lin", in: ["help"], [("amr", nil), ("auth_time", nil)])
    #expect(await provider.enter(provider.browser("Bearer " + provider.token(claims))).cookie != nil)
  }
}
