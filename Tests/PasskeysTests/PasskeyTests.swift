import Cryptography
import Passkeys
import PaymentPrimitives
import TestPasskeys
import Testing

@Suite struct `A passkey` {
  private static let challenge = [UInt8](repeating: 3, count: 40)
  private let question = PasskeyQuestion(challenge: challenge, origin: "http://localhost:8090")

  private func register(_ device: SoftwareAuthenticator, data: [UInt8]? = nil) -> Result<
    PasskeyRegistration, PasskeyProblem
  > {
    do throws(PasskeyProblem) {
      return .success(
        try PasskeyRegistration(
          clientData: device.clientData("webauthn.create", Self.challenge),
          attestation: device.attestation(data ?? device.registrationData), to: question))
    } catch { return .failure(error) }
  }

  private func sign(
    _ device: SoftwareAuthenticator, type: String = "webauthn.get", challenge: [UInt8] = challenge,
    by key: ECDSAPublicKey? = nil
  ) -> PasskeyProblem? {
    let clientData = device.clientData(type, challenge)
    let data = device.authenticatorData
    do throws(PasskeyProblem) {
      _ = try PasskeyAssertion(
        clientData: clientData, authenticatorData: data, signature: device.signature(data, clientData),
        by: key ?? device.key.publicKey, to: question)
      return nil
    } catch { return error }
  }

  @Test func `is not taken for another challenge, kind, origin or host, nor by another key`() throws {
    let device = try SoftwareAuthenticator()
    #expect(sign(device) == nil)
    #expect(sign(device, challenge: [UInt8](repeating: 4, count: 40)) == .notAsked)
    #expect(sign(device, type: "webauthn.create") == .notAsked)
    var elsewhere = device
    elsewhere.origin = "https://evil.test"
    #expect(sign(elsewhere) == .notAsked)
    elsewhere = device
    elsewhere.host = "evil.test"
    #expect(sign(elsewhere) == .notAsked)
    #expect(sign(device, by: try SoftwareAuthenticator(scalar: 2).key.publicKey) == .signatureInvalid)
  }

  @Test func `is not taken unless its holder was there and was recognised`() throws {
    var device = try SoftwareAuthenticator()
    for flags: UInt8 in [0x00, 0x01, 0x04] {
      device.flags = flags
      #expect(sign(device) == .userUnverified, "\(flags)")
      guard case .failure(.userUnverified) = register(device) else { Issue.record("\(flags) was taken."); continue }
    }
  }

  @Test func `is not taken with data that is cut off, has more behind it, or a key of another kind`() throws {
    let device = try SoftwareAuthenticator()
    let whole = device.registrationData
    for length in 0..<whole.count {
      guard case .failure = register(device, data: Array(whole.prefix(length))) else {
        Issue.record("\(length) bytes were taken.")
        continue
      }
    }
    guard case .failure(.malformed) = register(device, data: whole + [0]) else {
      Issue.record("more was taken"); return
    }
    // RS256 in place of ES256; a point that is not on the curve.
    let algorithm = whole.count - 77 + 4
    for (place, byte) in [(algorithm, UInt8(0x27)), (whole.count - 1, whole[whole.count - 1] ^ 1)] {
      var changed = whole
      changed[place] = byte
      guard case .failure(.keyUnsupported) = register(device, data: changed) else {
        Issue.record("\(place) was taken.")
        continue
      }
    }
    guard case .failure(.malformed) = register(device, data: device.authenticatorData) else {
      Issue.record("Data without a credential was taken.")
      return
    }
  }

  @Test func `is read from an attestation, and signs from then on`() throws {
    var device = try SoftwareAuthenticator(scalar: 9)
    device.signCount = 258
    let made = try register(device).get()
    #expect(made.credential == device.credential && made.key == device.key.publicKey && made.signCount == 258)
    #expect(sign(device, by: made.key) == nil)
  }

  @Test func `answers a challenge of this installation, purpose and browser, for five minutes`() {
    let key = Secret([UInt8](repeating: 1, count: 32))
    let now = Timestamp(seconds: 1_795_000_000)
    let made = PasskeyChallenge.make("signIn", for: "browser", at: now, key: key)
    func isValid(
      _ challenge: [UInt8], _ purpose: String = "signIn", _ browser: String = "browser",
      after span: TimeSpan = .seconds(1),
      key other: Secret? = nil
    ) -> Bool { PasskeyChallenge.isValid(challenge, purpose, for: browser, at: now + span, key: other ?? key) }
    #expect(isValid(made) && isValid(made, after: .seconds(299)))
    #expect(!isValid(made, after: .minutes(5)) && !isValid(made, after: -.seconds(1)))
    #expect(!isValid(made, "register") && !isValid(made, "signIn", "another"))
    #expect(!isValid(made, key: Secret([UInt8](repeating: 2, count: 32))))
    #expect(!isValid([]) && !isValid(Array(made.prefix(8))) && !isValid(made + [0]))
    for place in made.indices {
      var changed = made
      changed[place] ^= 1
      #expect(!isValid(changed), "\(place)")
    }
  }

  @Test func `belongs to the host of the origin, without its port`() {
    for (origin, host) in [
      ("https://console.example.com", "console.example.com"), ("http://localhost:8090", "localhost"),
    ] {
      #expect(PasskeyQuestion(challenge: [], origin: origin).relyingParty == host)
    }
  }
}
