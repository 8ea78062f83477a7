import Console
import Cryptography
import HTTPMessages
import Passkeys
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import TestDoubles
import TestPasskeys
import Testing

/// An operator of a database that is not simulated.
private struct Shop {
  let fixture: ConsoleFixture
  let name: OperatorName = "lin"

  init() async throws {
    fixture = try ConsoleFixture(isSimulated: false)
    _ = try await fixture.shop.engine.setRole(.admin, of: name, in: "*", by: "tests")
  }

  /// A browser that has used a new link, and is asked for a second factor.
  func pending() async throws -> Browser {
    let code = try #require(try await fixture.shop.engine.makeSignInLink(for: name, by: "tests"))
    var browser = Browser(fixture: fixture)
    let answer = await browser.post("/console/enter", [("code", code)])
    #expect(answer.location == "/console/enter/factor" && answer.cookie == nil)
    browser.entry = try #require(answer.cookie("__Host-counterfoil-entry"))
    return browser
  }

  /// The secret that the page of a first sign-in shows.
  func secret(_ browser: Browser) async throws -> Secret {
    let page = await browser.get("/console/enter/factor").page
    let start = try #require(page.firstRange(of: "<code id=\"secret\">"))
    let shown = String(page[start.upperBound...].prefix { $0 != "<" })
    let account = try await fixture.shop.engine.pendingSignIn(token: browser.entry)
    let secret = fixture.shop.engine.newCodeSecret(for: try #require(account))
    #expect(OneTimeCode.base32(secret) == shown)
    return secret
  }

  func code(_ secret: Secret, steps: Int64 = 0) -> String {
    OneTimeCode.text(secret, step: OneTimeCode.step(at: fixture.shop.now()) + steps)
  }

  func show(_ code: String, _ browser: Browser) async -> Browser.Answer {
    await browser.post("/console/enter/factor", [("factor", code)])
  }

  /// An operator with one-time codes, and the secret of these.
  func withCodes() async throws -> (browser: Browser, secret: Secret) {
    var browser = try await pending()
    let secret = try await secret(browser)
    let answer = await show(code(secret), browser)
    browser.cookie = try #require(answer.cookie)
    browser.entry = ""
    return (browser, secret)
  }

  func wait(_ span: TimeSpan) { fixture.shop.clock.advance(by: span) }
}

@Suite struct `A second factor` {
  @Test func `is demanded where the database is not simulated: a link alone opens no page`() async throws {
    let shop = try await Shop()
    let browser = try await shop.pending()
    for path in ["/console", "/console/app/shop", "/console/me", "/console/audit-log"] {
      #expect(await browser.get(path).location == "/console/enter")
    }
    var thief = browser
    thief.cookie = browser.entry
    #expect(await thief.get("/console/app/shop").location == "/console/enter")
  }

  @Test func `that is wrong five times ends the sign-in, each time with an entry`() async throws {
    let shop = try await Shop()
    let browser = try await shop.pending()
    let secret = try await shop.secret(browser)
    for wrong in ["", "000000", "12345", shop.code(secret, steps: 2), shop.code(secret, steps: -2), "x"].dropFirst() {
      #expect(await shop.show(wrong, browser).status == 403, "\(wrong)")
    }
    let answer = await shop.show(shop.code(secret), browser)
    #expect(answer.status == 403 && answer.cookie == nil)
    let entries = try await shop.fixture.entries().filter { $0.action == "signIn.refused" }
    #expect(entries.count == 5 && entries.allSatisfy { $0.problem == "code_wrong" && $0.actor == "lin" })
    #expect(try await shop.fixture.shop.engine.factors(of: "lin")?.account.codes == nil)
  }

  @Test func `counts in the step before and after, with white space in it, and in no other form`() async throws {
    for steps: Int64 in [-1, 0, 1] {
      let shop = try await Shop()
      let browser = try await shop.pending()
      let code = shop.code(try await shop.secret(browser), steps: steps)
      for wrong in [String(code.dropLast()), code + "0", "०" + code.dropFirst()] {
        #expect(await shop.show(wrong, browser).status == 403, "\(wrong)")
      }
      #expect(await shop.show(code.prefix(3) + " " + code.suffix(3), browser).cookie != nil, "\(steps)")
    }
  }

  @Test func `is set up once; from then on its codes are demanded, each taken once`() async throws {
    let shop = try await Shop()
    let (signedIn, secret) = try await shop.withCodes()
    #expect(await signedIn.get("/console/app/shop").status == 200)
    // A second link shows no secret, and takes no code of its own.
    let second = try await shop.pending()
    let page = await second.get("/console/enter/factor")
    #expect(!page.page.contains("id=\"secret\"") && !page.page.contains("otpauth"))
    let own = shop.fixture.shop.engine.newCodeSecret(
      for: try #require(try await shop.fixture.shop.engine.pendingSignIn(token: second.entry)))
    #expect(await shop.show(shop.code(own), second).status == 403)
    // The code that set it up was used.
    #expect(await shop.show(shop.code(secret), second).status == 403)
    shop.wait(.seconds(30))
    #expect(await shop.show(shop.code(secret), second).cookie != nil)
    let third = try await shop.pending()
    #expect(await shop.show(shop.code(secret), third).status == 403)
    let problems = try await shop.fixture.entries().filter { $0.action == "signIn.refused" }.map(\.problem)
    #expect(problems == ["code_wrong", "code_used", "code_used"])
  }

  @Test func `is given up by a command of the host alone, with every session`() async throws {
    let shop = try await Shop()
    let (signedIn, _) = try await shop.withCodes()
    #expect(try await shop.fixture.shop.engine.resetFactors(of: "nobody", by: "tests") == nil)
    _ = try await shop.fixture.shop.engine.resetFactors(of: "lin", by: "tests")
    #expect(await signedIn.get("/console/app/shop").location == "/console/enter")
    _ = try await shop.secret(try await shop.pending())
  }

  @Test func `is not taken after ten minutes, nor from a disabled account`() async throws {
    let shop = try await Shop()
    let old = try await shop.pending()
    let secret = try await shop.secret(old)
    shop.wait(.minutes(10))
    #expect(await shop.show(shop.code(secret), old).status == 403)
    let disabled = try await shop.pending()
    let other = try await shop.secret(disabled)
    _ = try await shop.fixture.shop.engine.disableAccount("lin", by: "tests")
    #expect(await shop.show(shop.code(other), disabled).status == 403)
  }

  @Test func `confirms what needs it after five minutes, under a new token`() async throws {
    let shop = try await Shop()
    let (first, secret) = try await shop.withCodes()
    var browser = first
    _ = try await shop.fixture.shop.submit(shop.fixture.shop.transaction("77"), by: nil)
    let path = "/console/app/shop/payments/appStore/simulated/77"
    let reason = ("reason", "ticket 58213")
    let form = try #require(await browser.get(path).form(path + "/set-aside"))
    #expect(await browser.post(path + "/set-aside", form + [reason]).location == path + "?notice=done")
    shop.wait(.minutes(5))
    let asked = try #require(await browser.get(path).form(path + "/release"))
    let answer = await browser.post(path + "/release", asked + [reason])
    #expect(answer.location == "/console/prove?to=" + RequestTarget.encode(path))
    #expect(try await shop.fixture.shop.engine.tellPayment(EngineFixture.key("77")).payment?.isSetAside == true)

    let page = await browser.get(answer.location)
    let token = try #require(page.hidden("token"))
    #expect(await browser.post("/console/prove", [("token", token), ("factor", "1"), ("to", path)]).status == 403)
    let proved = await browser.post(
      "/console/prove", [("token", token), ("factor", shop.code(secret)), ("to", path)])
    #expect(proved.location == path)
    browser.cookie = try #require(proved.cookie)
    #expect(await first.get(path).location == "/console/enter")
    let again = try #require(await browser.get(path).form(path + "/release"))
    #expect(await browser.post(path + "/release", again + [reason]).location == path + "?notice=done")
  }
}

@Suite struct `A passkey in the console` {
  private func fields(
    _ device: SoftwareAuthenticator, create: Bool, _ challenge: String
  ) throws -> [(String, String)] {
    let bytes = try #require(Base64URL.decode(challenge))
    let clientData = device.clientData(create ? "webauthn.create" : "webauthn.get", bytes)
    let data = create ? device.attestation(device.registrationData) : device.authenticatorData
    return [
      ("challenge", challenge), ("credential", Base64URL.encode(device.credential)),
      ("clientData", Base64URL.encode(clientData)), ("data", Base64URL.encode(data)),
      ("signature", create ? "" : Base64URL.encode(device.signature(data, clientData))), ("label", "laptop"),
    ]
  }

  /// An operator who has set up a passkey at the first sign-in.
  private func withPasskey(_ shop: Shop, _ device: SoftwareAuthenticator) async throws -> Browser {
    var browser = try await shop.pending()
    let challenge = try #require(await browser.get("/console/enter/factor").hidden("challenge"))
    let answer = await browser.post("/console/enter/factor", try fields(device, create: true, challenge))
    browser.cookie = try #require(answer.cookie)
    browser.entry = ""
    return browser
  }

  /// What a browser sends that signs in with a passkey alone.
  private func signIn(
    _ shop: Shop, _ device: SoftwareAuthenticator, at other: Browser? = nil
  ) async throws -> Browser.Answer {
    var browser = Browser(fixture: shop.fixture)
    let page = await browser.get("/console/enter")
    browser.entry = try #require(page.cookie("__Host-counterfoil-entry"))
    let challenge = try #require(page.hidden("challenge"))
    var sender = browser
    if let other { sender.entry = other.entry }
    return await sender.post("/console/enter/passkey", try fields(device, create: false, challenge))
  }

  @Test func `signs in without a link; not from another browser, not twice with one answer, not when removed`()
    async throws
  {
    let shop = try await Shop()
    let device = try SoftwareAuthenticator()
    #expect(try await signIn(shop, device).status == 403)
    let first = try await withPasskey(shop, device)
    #expect(await first.get("/console/app/shop").status == 200)
    #expect(try await signIn(shop, device).cookie != nil)
    var stranger = Browser(fixture: shop.fixture)
    stranger.entry = String(repeating: "A", count: 43)
    #expect(try await signIn(shop, device, at: stranger).status == 403)

    var browser = Browser(fixture: shop.fixture)
    let page = await browser.get("/console/enter")
    browser.entry = try #require(page.cookie("__Host-counterfoil-entry"))
    let answer = try fields(device, create: false, try #require(page.hidden("challenge")))
    #expect(await browser.post("/console/enter/passkey", answer).cookie != nil)
    #expect(await browser.post("/console/enter/passkey", answer).status == 403)

    _ = try await shop.fixture.shop.engine.resetFactors(of: "lin", by: "tests")
    #expect(try await signIn(shop, device).status == 403)
  }

  @Test func `of a device that counts is not taken with a number that does not grow`() async throws {
    let shop = try await Shop()
    var device = try SoftwareAuthenticator()
    device.signCount = 5
    _ = try await withPasskey(shop, device)
    for (count, isTaken) in [(5, false), (4, false), (0, false), (6, true), (6, false), (9, true)] as [(UInt32, Bool)] {
      device.signCount = count
      #expect((try await signIn(shop, device).cookie != nil) == isTaken, "\(count)")
    }
  }

  @Test func `is no way around the codes of an account, and no account adds another's`() async throws {
    let shop = try await Shop()
    let device = try SoftwareAuthenticator()
    _ = try await shop.withCodes()
    // A link to an account with codes shows no way to add a passkey, and takes none.
    let browser = try await shop.pending()
    let page = await browser.get("/console/enter/factor")
    #expect(!page.page.contains("data-passkey=\"create\""))
    let subject = try #require(try await shop.fixture.shop.engine.pendingSignIn(token: browser.entry))
    let request = shop.fixture.shop.engine.passkeyRequest(
      .register, for: subject.digest, at: ConsoleFixture.origin)
    let forged = try fields(device, create: true, Base64URL.encode(request.question.challenge))
    #expect(await browser.post("/console/enter/factor", forged).status == 403)
    // Nor does the engine, if a page asked for it.
    let clientData = device.clientData("webauthn.create", request.question.challenge)
    let answer = PasskeyAnswer(
      credential: Base64URL.encode(device.credential), clientData: clientData,
      data: device.attestation(device.registrationData), signature: [])
    let token = try await shop.fixture.shop.engine.addPasskey(
      for: subject, answer, label: "laptop", to: request, from: SignInVisitor(address: "::1", requestId: "r"))
    #expect(token == nil)
    #expect(try await shop.fixture.shop.engine.factors(of: "lin")?.passkeys.isEmpty == true)
  }

  @Test func `is added by who has confirmed, and the last second factor stays`() async throws {
    let shop = try await Shop()
    let device = try SoftwareAuthenticator()
    var browser = try await withPasskey(shop, device)
    var spare = try SoftwareAuthenticator(scalar: 2)
    spare.credential = Array(repeating: 8, count: 16)
    let remove = "/console/me/passkeys/\(Base64URL.encode(device.credential))/remove"
    let page = await browser.get("/console/me")
    let token = ("token", try #require(page.hidden("token")))
    #expect(await browser.post(remove, [token]).status == 409)
    let challenge = try #require(page.hidden("challenge"))
    let added = await browser.post("/console/me/passkeys", [token] + (try fields(spare, create: true, challenge)))
    browser.cookie = try #require(added.cookie)
    shop.wait(.minutes(5))
    let later = await browser.get("/console/me")
    let newToken = ("token", try #require(later.hidden("token")))
    #expect(await browser.post(remove, [newToken]).location.hasPrefix("/console/prove?to="))
    #expect(try await shop.fixture.shop.engine.factors(of: "lin")?.passkeys.count == 2)

    let prove = await browser.get("/console/prove?to=%2Fconsole%2Fme")
    let shown = try fields(spare, create: false, try #require(prove.hidden("challenge")))
    let proved = await browser.post("/console/prove", [newToken, ("to", "/console/me")] + shown)
    browser.cookie = try #require(proved.cookie)
    let last = ("token", try #require(await browser.get("/console/me").hidden("token")))
    #expect(await browser.post(remove, [last]).location == "/console/me")
    #expect(try await signIn(shop, device).status == 403)
    #expect(try await signIn(shop, spare).cookie != nil)
  }
}
