import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON

/// Nothing is valid but what the authority of this program signed, byte for byte; and a verdict always says why.
func fuzzSignedData(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  check(text)
  // Under a header that is known, mutations reach payload and signature.
  check(Signed.header + "." + text)
  // As a payload that is really signed, they reach everything behind the signature.
  let payload = Signed.chain.sign(Array(text.utf8))
  let transaction = Signed.verifier.verifyTransaction(payload, expecting: Signed.expecting, at: Signed.now)
  if let verified = transaction.verified { _ = try? AppStoreEvidence.payment(of: verified, app: "fuzzed") }
  _ = transaction.checks
  let notification = Signed.verifier.verifyNotification(payload, expecting: Signed.expecting, at: Signed.now)
  precondition(notification.isValid == (notification.notification.failure == nil))
  return 0
}

private func check(_ text: String) {
  let transaction = Signed.verifier.verifyTransaction(text, expecting: Signed.expecting, at: Signed.now)
  precondition(!transaction.isValid || text == Signed.token)
  precondition(transaction.isValid != (transaction.failure != nil))
  _ = transaction.checks
  let notification = Signed.verifier.verifyNotification(text, expecting: Signed.expecting, at: Signed.now)
  precondition(!notification.isValid)
}

private enum Signed {
  static let now = Timestamp(seconds: 1_795_000_000)
  static let expecting = SignedDataExpectations(apps: [AppIdentity(bundleId: "com.example.app")])

  static let authority = AppleShapedAuthority(
    name: "Made for fuzzing", randomBytes: [UInt8](repeating: 1, count: 48), notBefore: now - .days(10),
    notAfter: now + .days(10))

  static let chain = authority.signingChain(
    serialNumber: 1, randomBytes: [UInt8](repeating: 2, count: 48), notBefore: now - .days(10),
    notAfter: now + .days(10))

  static let token = chain.sign(
    .members([("transactionId", .string("1")), ("bundleId", .string("com.example.app"))]))

  static let header = String(token.prefix { $0 != "." })

  static let verifier: SignedDataVerifier = {
    var limits = SignedDataLimits()
    // Examining each mutated chain would leave no time for anything else; some hundred are enough.
    limits.unknownChainsBurst = 500
    limits.unknownChainsPerSecond = 0
    do {
      let verifier = try SignedDataVerifier(
        SignedDataConfiguration(profile: .development, anchors: [authority.root], unsignedEnvironments: [.xcode]),
        limits: limits)
      precondition(verifier.verifyTransaction(token, expecting: expecting, at: now).isValid)
      return verifier
    } catch {
      preconditionFailure("a development configuration may name roots")
    }
  }()
}
