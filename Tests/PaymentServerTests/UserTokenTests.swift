import Cryptography
import HTTPMessages
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import SigningAuthorities
import SimulationKit
import StrictJSON
import Testing

@Suite struct `A user token` {
  private let maker = TokenMaker()

  /// The server's error code for a token.
  private func code(_ token: String, _ front: ServerFixture) async -> String? {
    await front.ask("GET", "/v1/balances", as: token).code
  }

  private func claims(_ name: String, _ value: JSONValue?) -> [(String, JSONValue?)] {
    maker.claims().filter { $0.0 != name } + [(name, value)]
  }

  @Test func `is refused when its algorithm is confused (A18)`() async throws {
    let front = try await ServerFixture.open()
    let publicKey = String(decoding: TokenMaker.privateKey.publicKey.spki, as: UTF8.self)
    let point = String(decoding: TokenMaker.privateKey.publicKey.point, as: UTF8.self)
    let tokens = [
      maker.token(maker.claims(), by: .nobody), maker.token(maker.claims(), kid: "shop-es", by: .nobody),
      maker.token(maker.claims(), by: .nobody, saying: "HS256"),
      maker.token(maker.claims(), by: .nobody, saying: "NONE"),
      // The public key as a shared secret.
      maker.token(maker.claims(), kid: "shop-es", by: .hs256(publicKey)),
      maker.token(maker.claims(), kid: "shop-es", by: .hs256(point), saying: "ES256"),
      maker.token(maker.claims(), kid: "shop-hs", by: .es256(TokenMaker.privateKey)),
      maker.token(maker.claims(), kid: "shop-hs", by: .es256(TokenMaker.privateKey), saying: "HS256"),
      maker.token(maker.claims(), saying: "hs256"), maker.token(maker.claims(), saying: "HS512"),
      maker.token(maker.claims(), saying: "RS256"),
    ]
    for token in tokens { #expect(await code(token, front) == "credential_invalid") }
  }

  @Test func `is refused with the id of another key or app, without one, or with a removed one`() async throws {
    let front = try await ServerFixture.open()
    let tokens = [
      maker.token(maker.claims(), kid: nil), maker.token(maker.claims(), kid: ""),
      maker.token(maker.claims(), kid: "nobody"),
      // The other app's key may not sign for the shop, nor the shop's secret for the other app.
      maker.token(maker.claims(), kid: "other-hs", by: .hs256(TokenMaker.otherSecret)),
      maker.token(maker.claims(app: "other"), kid: "other-hs", by: .hs256(TokenMaker.sharedSecret)),
      maker.token(maker.claims(app: "other"), kid: "shop-hs"),
      maker.token(maker.claims(app: "gone"), kid: "gone-hs"),
      maker.token(maker.claims(), kid: "shop-es", by: .es256(TokenMaker.newerPrivateKey)),
    ].map { ($0, "credential_invalid") }
    for (token, expected) in tokens { #expect(await code(token, front) == expected) }
  }

  @Test func `is refused for a user with the character U+0000`() async throws {
    let front = try await ServerFixture.open()
    #expect(await code(maker.token(claims("sub", "bo\u{0}b")), front) == "field_invalid")
  }

  @Test func `is refused for another audience, or for several`() async throws {
    let front = try await ServerFixture.open()
    for audience: JSONValue? in [nil, "", "Shop", "other", .array([]), .array(["shop", "other"]), .integer(1), .null] {
      #expect(await code(maker.token(claims("aud", audience)), front) == "credential_invalid")
    }
    #expect(await code(maker.token(claims("aud", .array(["shop"]))), front) == nil)
  }

  @Test func `is refused without a user of 1 to 255 bytes`() async throws {
    let front = try await ServerFixture.open()
    let long = String(repeating: "的", count: 85)
    for user: JSONValue? in [nil, "", .integer(7), .null, .array(["alice"]), .string(long + "a")] {
      #expect(await code(maker.token(claims("sub", user)), front) == "credential_invalid")
    }
    #expect(await code(maker.token(claims("sub", .string(long))), front) == nil)
  }

  @Test func `is valid only for its time, with a minute of tolerance (token_expired)`() async throws {
    let front = try await ServerFixture.open()
    let now = EngineFixture.noon.seconds
    func token(_ issued: Int64, _ expires: Int64, notBefore: Int64? = nil) -> String {
      let times: [(String, JSONValue?)] = [
        ("sub", "alice"), ("aud", "shop"), ("iat", .integer(issued)), ("exp", .integer(expires)),
        ("nbf", notBefore.map { .integer($0) }),
      ]
      return maker.token(times)
    }
    #expect(await code(token(now - 60, now - 60), front) == "token_expired")
    #expect(await code(token(now - 3600, now - 59), front) == nil)
    #expect(await code(token(now + 61, now + 120), front) == "token_expired")
    #expect(await code(token(now + 60, now + 120), front) == nil)
    #expect(await code(token(now, now + 600, notBefore: now + 61), front) == "token_expired")
    #expect(await code(token(now, now + 600, notBefore: now + 60), front) == nil)
    #expect(await code(token(now, now - 100_000), front) == "token_expired")
    // The longest validity is a day.
    #expect(await code(token(now, now + 86_401), front) == "credential_invalid")
    #expect(await code(token(now, now + 86_400), front) == nil)
    front.clock.advance(by: .minutes(62))
    #expect(await code(token(now, now + 3600), front) == "token_expired")
  }

  @Test func `is refused with invalid times, also at both ends of the integer range`() async throws {
    let front = try await ServerFixture.open()
    let bad: [JSONValue?] = [
      nil, .null, "1772366400", .number("1e9"), .number("9223372036854775808"), .number("-1e400"), .array([]),
    ]
    for value in bad {
      for name in ["iat", "exp"] {
        #expect(await code(maker.token(claims(name, value)), front) == "credential_invalid")
      }
    }
    for value in bad where value != nil && value != .null {
      #expect(await code(maker.token(claims("nbf", value)), front) == "credential_invalid")
    }
    for value: Int64 in [.max, .min, .max / 1000, .min / 1000] {
      for name in ["iat", "exp", "nbf"] {
        let answer = await code(maker.token(claims(name, .integer(value))), front)
        #expect(answer == "credential_invalid" || answer == "token_expired" || answer == nil && name == "nbf")
      }
    }
  }

  @Test func `is refused with a duplicate name, an unknown critical header, or another form`() async throws {
    let front = try await ServerFixture.open()
    let header = #"{"alg":"HS256","kid":"shop-hs"}"#
    let now = EngineFixture.noon.seconds
    let claims = #"{"sub":"alice","aud":"shop","iat":\#(now),"exp":\#(now + 600)}"#
    func sign(_ header: String, _ claims: String) -> String {
      TokenMaker.sign(header, claims, by: .hs256(TokenMaker.sharedSecret))
    }
    #expect(await code(sign(header, claims), front) == nil)
    let good = sign(header, claims)
    let parts = good.split(separator: ".").map(String.init)
    let tokens = [
      sign(header, String(claims.dropLast()) + #","sub":"bob"}"#),
      sign(header, #"{"\u0073ub":"bob",\#(claims.dropFirst())"#),
      sign(#"{"alg":"HS256","kid":"shop-hs","kid":"other-hs"}"#, claims),
      sign(#"{"alg":"HS256","kid":"shop-hs","crit":["b64"],"b64":false}"#, claims),
      sign(header, "[]"), sign("[]", claims), sign(header, #""alice""#), sign(header, ""), sign(header, claims + "x"),
      good + ".", "." + good, good + "." + good, good.replacing(".", with: ".."), parts[0] + "." + parts[1] + ".",
      parts[0] + "." + parts[1], parts[0] + ".." + parts[2], good + "=", String(good.dropLast()),
      good + String(repeating: "A", count: 4096),
    ]
    for token in tokens { #expect(await code(token, front) == "credential_invalid") }
  }

  @Test func `changed in any byte is refused`() async throws {
    let front = try await ServerFixture.open { $0.settings = { $0.rates.failedCheckCost = 0 } }
    for good in [maker.token(), maker.token(maker.claims(), kid: "shop-es", by: .es256(TokenMaker.privateKey))] {
      let bytes = Array(good.utf8)
      for index in stride(from: 0, to: bytes.count - 1, by: 3) {
        var changed = bytes
        changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        let answer = await code(String(decoding: changed, as: UTF8.self), front)
        // A changed exp may be in the past: the times are checked before the expensive signature.
        #expect(answer == "credential_invalid" || answer == "token_expired", "byte \(index)")
      }
    }
  }

  @Test func `by either of two keys is valid while the key is rotated, with HS256 and ES256`() async throws {
    let front = try await ServerFixture.open()
    let tokens = [
      maker.token(), maker.token(maker.claims(), kid: "shop-es", by: .es256(TokenMaker.privateKey)),
      maker.token(maker.claims(), kid: "shop-es-2", by: .es256(TokenMaker.newerPrivateKey)),
    ]
    for token in tokens + tokens {
      let answer = await front.ask("GET", "/v1/balances", as: token)
      #expect(answer.status == 200)
    }
  }

  @Test func `that was valid before is checked again for its time`() async throws {
    let front = try await ServerFixture.open()
    let token = maker.token(maker.claims(), kid: "shop-es", by: .es256(TokenMaker.privateKey))
    #expect(await code(token, front) == nil)
    front.clock.advance(by: .hours(2))
    #expect(await code(token, front) == "token_expired")
  }

  @Test(arguments: ["shop-hs", "shop-es"])
  func `that was valid before is refused once its key is replaced or removed`(_ kid: String) async throws {
    let front = try await ServerFixture.open()
    let token = maker.token(
      maker.claims(), kid: kid,
      by: kid == "shop-hs" ? .hs256(TokenMaker.sharedSecret) : .es256(TokenMaker.privateKey))
    var keys = try TokenMaker.keys
    let old = try #require(keys[CredentialIdentifier(kid)])
    for _ in 0..<2 { #expect(await code(token, front) == nil) }
    keys[CredentialIdentifier(kid)] = try UserTokenKey(
      app: "shop",
      method: kid == "shop-hs"
        ? .hs256(Secret(Array(repeating: 7, count: 32))) : .es256(TokenMaker.newerPrivateKey.publicKey))
    front.server.reload(userTokenKeys: keys)
    #expect(await code(token, front) == "credential_invalid")
    keys[CredentialIdentifier(kid)] = nil
    front.server.reload(userTokenKeys: keys)
    #expect(await code(token, front) == "credential_invalid")
    keys[CredentialIdentifier(kid)] = old
    front.server.reload(userTokenKeys: keys)
    for _ in 0..<2 { #expect(await code(token, front) == nil) }
  }

  @Test func `gets an error as RFC 6750 says, and the error does not contain it`() async throws {
    let front = try await ServerFixture.open()
    let none = await front.ask("GET", "/v1/balances")
    #expect(none.status == 401)
    #expect(none.code == "credential_missing")
    #expect(none.fields["WWW-Authenticate"] == "Bearer")
    let wrong = await front.ask("GET", "/v1/balances", as: "canary.canary.canary")
    #expect(wrong.code == "credential_invalid")
    #expect(wrong.fields["WWW-Authenticate"] == "Bearer error=\"invalid_token\"")
    #expect(!wrong.text.contains("canary"))
    let basic = await front.ask("GET", "/v1/balances", fields: ["Authorization": "Basic YWxpY2U6"])
    #expect(basic.code == "credential_missing")
    let good = maker.token()
    let double = await front.ask(
      "GET", "/v1/balances", as: good, fields: ["Authorization": "Bearer " + maker.token(user: "bob")])
    #expect(double.code == "credential_invalid")
    let spaced = await front.ask("GET", "/v1/balances", fields: ["Authorization": "Bearer \(good) \(good)"])
    #expect(spaced.code == "credential_invalid")
    let long = await front.ask("GET", "/v1/balances", as: String(repeating: "a", count: 9000))
    #expect(long.code == "credential_invalid")
    #expect(await front.ask("GET", "/v1/balances", fields: ["Authorization": "bearer " + good]).status == 200)
  }
}

@Suite struct `A key for user tokens` {
  @Test func `must have as many bytes as its MAC (user_token_secret_too_short)`() throws {
    let error = #expect(throws: CodedError<UserTokenKeyErrorCode>.self) {
      try UserTokenKey(app: "shop", method: .hs256(Secret(Array(repeating: 1, count: 31))))
    }
    #expect(error?.code == .secretTooShort)
    #expect(error?.code.rawValue == "user_token_secret_too_short")
    _ = try UserTokenKey(app: "shop", method: .hs256(Secret(Array(repeating: 1, count: 32))))
  }

  @Test func `must lie on P-256 (user_token_key_not_p256)`() throws {
    let key = ECDSAPrivateKey(curve: .p384, randomBytes: Array(repeating: 1, count: 64))
    let error = #expect(throws: CodedError<UserTokenKeyErrorCode>.self) {
      try UserTokenKey(app: "shop", method: .es256(key.publicKey))
    }
    #expect(error?.code == .curveNotP256)
    #expect(error?.code.rawValue == "user_token_key_not_p256")
  }
}
