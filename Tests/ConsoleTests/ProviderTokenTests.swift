import Console
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import StrictJSON
import TestDoubles
import Testing

@Suite struct `The token of an identity provider` {
  /// Signs in with a token, which must be refused for a reason.
  private func expect(
    _ token: String?, isRefused problem: IdentityTokenProblem, _ provider: ProviderFixture
  ) async throws {
    // Sign-ins from one address are limited.
    provider.wait(.minutes(1))
    let before = try await provider.problems().count
    let answer = await provider.enter(provider.browser(token))
    #expect(answer.status == 403 && answer.cookie == nil, "\(problem)")
    #expect(try await provider.problems().dropFirst(before) == [problem.rawValue], "\(token?.prefix(60) ?? "")")
  }

  @Test func `is demanded, once, from the proxy alone`() async throws {
    let provider = try ProviderFixture()
    try await expect(nil, isRefused: .missing, provider)
    try await expect("", isRefused: .missing, provider)
    let token = provider.token(provider.claims())
    var browser = provider.browser(token)
    browser.fields += browser.fields
    #expect(await provider.enter(browser).cookie == nil)
    for address in ["10.0.0.2", "192.0.2.1", "::1", "unix"] {
      browser = provider.browser(token)
      browser.address = address
      #expect(await provider.enter(browser).cookie == nil)
    }
    browser = provider.browser(nil)
    browser.fields = [("X-Other-Token", token), ("X-Remote-User", "lin")]
    #expect(await provider.enter(browser).cookie == nil)
    let expected: [IdentityTokenProblem] = [
      .missing, .missing, .malformed, .senderUntrusted, .senderUntrusted, .senderUntrusted, .senderUntrusted, .missing,
    ]
    #expect(try await provider.problems() == expected.map(\.rawValue))
    #expect(try await provider.engine.operatorAccounts().isEmpty)
    #expect(provider.reads.value == 0)
  }

  @Test func `is refused when its algorithm is confused (A18)`() async throws {
    let provider = try ProviderFixture()
    let claims = provider.claims()
    let (point, spki) = (ProviderFixture.ellipticKey.publicKey.point, ProviderFixture.rsaKey.publicKey.spki)
    let tokens = [
      provider.token(claims, by: .nobody), provider.token(claims, kid: "rsa", by: .nobody),
      provider.token(claims, by: .nobody, saying: "None"),
      // The public key as a shared secret.
      provider.token(claims, by: .hs256(point)), provider.token(claims, kid: "rsa", by: .hs256(spki)),
      provider.token(claims, kid: "rsa"), provider.token(claims, by: .rs256),
      provider.token(claims, saying: "es256"), provider.token(claims, saying: "RS256"),
      provider.token(claims, kid: "rsa", by: .rs256, saying: "RS512"),
    ]
    for token in tokens { try await expect(token, isRefused: .algorithmRefused, provider) }
    let strict = try ProviderFixture { $0.algorithms = [.es256] }
    try await expect(
      strict.token(strict.claims(), kid: "rsa", by: .rs256), isRefused: .algorithmRefused, strict)
    #expect(await strict.enter(strict.browser(strict.token(strict.claims()))).cookie != nil)
  }

  @Test func `is refused with a forged signature, or one over other claims`() async throws {
    let provider = try ProviderFixture()
    let claims = provider.claims()
    let good = provider.token(claims).split(separator: ".").map(String.init)
    let other = provider.token(provider.claims("mallory", in: ["payments-admin"])).split(separator: ".").map(
      String.init)
    let tokens = [
      provider.token(claims, by: .es256(ProviderFixture.strangeKey)),
      provider.token(claims, by: .hs256([1]), saying: "ES256"),
      provider.token(claims, kid: "rsa", by: .es256(ProviderFixture.ellipticKey), saying: "RS256"),
      [good[0], other[1], good[2]].joined(separator: "."),
    ]
    for token in tokens { try await expect(token, isRefused: .signatureInvalid, provider) }
  }

  @Test func `is refused if it is too large, or not of the form`() async throws {
    let provider = try ProviderFixture()
    let claims = provider.claims()
    let good = provider.token(claims)
    let large = provider.token(provider.claims(in: ["help", String(repeating: "x", count: 8192)]))
    let tokens = [
      large, "x", "a.b.c", good + ".x", good + "=", String(good.dropLast(good.count / 2)),
      // With an empty signature, as for the algorithm `none`.
      good.split(separator: ".").dropLast().joined(separator: ".") + ".",
      provider.token(claims, kid: nil), provider.token(claims, header: [("crit", .array(["exp"]))]),
      provider.token(provider.claims("")), provider.token(provider.claims(String(repeating: "x", count: 256))),
      provider.token(provider.claims("lin\u{0}")),
    ]
    for token in tokens { try await expect(token, isRefused: .malformed, provider) }
    for (name, value) in [
      ("sub", nil), ("sub", .integer(1)), ("iat", nil), ("iat", "now"), ("exp", nil), ("exp", "never"),
      ("nbf", "now"), ("auth_time", "now"),
    ] as [(String, JSONValue?)] {
      try await expect(
        provider.token(provider.claims(in: ["help"], [(name, value)])), isRefused: .malformed, provider)
    }
  }

  @Test func `is refused of another issuer, for another audience, or also for others`() async throws {
    let provider = try ProviderFixture()
    func token(_ name: String, _ value: JSONValue?) -> String {
      provider.token(provider.claims(in: ["help"], [(name, value)]))
    }
    for issuer: JSONValue? in [nil, "https://login.example.com/", "https://login.example.org", .integer(1)] {
      try await expect(token("iss", issuer), isRefused: .otherIssuer, provider)
    }
    for audience: JSONValue? in [nil, "Console", "other", .array([]), .array(["console", "other"]), .integer(1)] {
      try await expect(token("aud", audience), isRefused: .otherAudience, provider)
    }
    #expect(await provider.enter(provider.browser(token("aud", .array(["console"])))).cookie != nil)
  }

  @Test func `is refused once it has expired, before it is valid, and when it is a day old`() async throws {
    let provider = try ProviderFixture()
    let day: Int64 = 24 * 3600
    for (name, offset, problem) in [
      ("exp", -60, .expired), ("exp", -59, nil), ("iat", 61, .notYetValid), ("iat", 60, nil),
      ("nbf", 61, .notYetValid), ("nbf", 60, nil), ("iat", -day - 1, .tooOld), ("iat", -day, nil),
      ("auth_time", 61, .notYetValid), ("auth_time", 60, nil),
    ] as [(String, Int64, IdentityTokenProblem?)] {
      provider.wait(.minutes(1))
      let before = try await provider.problems().count
      let claims = provider.claims(in: ["help"], [(name, .integer(provider.now.seconds + offset))])
      let answer = await provider.enter(provider.browser(provider.token(claims)))
      #expect((answer.cookie == nil) == (problem != nil), "\(name) \(offset)")
      let problems = try await provider.problems().dropFirst(before)
      #expect(Array(problems) == [problem?.rawValue].compactMap(\.self), "\(name) \(offset)")
    }
  }

  @Test func `of an unknown key makes the keys be read again, once a minute`() async throws {
    let provider = try ProviderFixture()
    let unknown = provider.token(provider.claims(), kid: "next", by: .es256(ProviderFixture.strangeKey))
    for _ in 0..<5 { #expect(await provider.enter(provider.browser(unknown)).cookie == nil) }
    #expect(provider.reads.value == 1)
    provider.keys.value = ProviderFixture.keySet([ProviderFixture.elliptic("next", ProviderFixture.strangeKey)])
    #expect(await provider.enter(provider.browser(unknown)).cookie == nil)
    provider.wait(.minutes(1))
    let renewed = provider.token(provider.claims(), kid: "next", by: .es256(ProviderFixture.strangeKey))
    #expect(await provider.enter(provider.browser(renewed)).cookie != nil)
    #expect(provider.reads.value == 2)
    // The key before is withdrawn.
    #expect(await provider.enter(provider.browser(provider.token(provider.claims()))).cookie == nil)
    #expect(try await provider.problems().allSatisfy { $0 == "identity_key_unknown" })
  }

  @Test func `of a key that was withdrawn counts for an hour, and for a day while the keys cannot be read`()
    async throws
  {
    let provider = try ProviderFixture()
    func isTaken() async -> Bool {
      await provider.enter(provider.browser(provider.token(provider.claims()))).cookie != nil
    }
    #expect(await isTaken())
    provider.keys.value = nil
    provider.wait(.hours(23))
    #expect(await isTaken())
    #expect(provider.log.fields(of: "console.providerKeysUnreadable").count == 1)
    provider.wait(.hours(1))
    #expect(await !isTaken())
    provider.wait(.minutes(1))
    provider.keys.value = ProviderFixture.keySet([ProviderFixture.elliptic("ec")])
    #expect(await isTaken())
    provider.keys.value = ProviderFixture.keySet([ProviderFixture.rsa("rsa")])
    provider.wait(.minutes(59))
    #expect(await isTaken())
    provider.wait(.minutes(1))
    #expect(await !isTaken())
  }
}
