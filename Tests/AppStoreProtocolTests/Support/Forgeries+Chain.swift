import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import TestFixtures

private let transaction = TestAppStore.transaction

private func made(_ change: (inout ChainRecipe) -> Void) -> String {
  ChainRecipe(change).chain.sign(transaction)
}

/// A token with an x5c that is changed before it is signed.
private func certified(_ change: ([String]) -> [String]) -> String {
  let certificates = TestAppStore.chain.certificates.map { Base64.encode($0.der) }
  return TestAppStore.chain.sign(
    transaction.bytes, header: TestAppStore.header([("x5c", .array(change(certificates).map { .string($0) }))]))
}

private let other = AppleShapedAuthority(
  name: "Attacker", randomBytes: TestAppStore.seed(77), notBefore: TestAppStore.now - .days(100),
  notAfter: TestAppStore.now + .days(100))

/// The trusted authority's names with the attacker's own keys.
private let namesake = AppleShapedAuthority(
  name: "Made for tests", randomBytes: TestAppStore.seed(78), notBefore: TestAppStore.now - .days(100),
  notAfter: TestAppStore.now + .days(100))

private func chain(of authority: AppleShapedAuthority) -> SigningChain {
  authority.signingChain(
    serialNumber: 1, randomBytes: TestAppStore.seed(79), notBefore: TestAppStore.now - .days(10),
    notAfter: TestAppStore.now + .days(10))
}

private let withoutIntermediates = ChainRecipe {
  $0.root.basicConstraints = .authority(pathLength: 0); $0.root.subject.commonName = "No intermediates"
}
private let expiredRoot = ChainRecipe {
  $0.root.notAfter = TestAppStore.now - .days(1); $0.root.subject.commonName = "Expired root"
}

extension Forgery {
  /// Configured roots that can have no valid chain.
  static let furtherRoots = [withoutIntermediates.chain.certificates[2], expiredRoot.chain.certificates[2]]

  static let ofChainForm: [Forgery] = [
    Forgery("no certificates", .chainLength, code: .invalidChainLength, token: certified { _ in [] }),
    Forgery("a leaf alone", .chainLength, code: .invalidChainLength, token: certified { Array($0.prefix(1)) }),
    Forgery("two certificates", .chainLength, code: .invalidChainLength, token: certified { Array($0.prefix(2)) }),
    Forgery("four certificates", .chainLength, code: .invalidChainLength, token: certified { $0 + [$0[2]] }),
    Forgery("nine certificates", .chainLength, code: .invalidChainLength, token: certified { $0 + $0 + $0 }),
    Forgery(
      "certificates in Base64URL", .certificates, code: .invalidCertificate,
      token: certified { $0.map { Base64URL.encode(Base64.decode($0) ?? []) } }),
    Forgery(
      "a line end in a certificate", .certificates, code: .invalidCertificate,
      token: certified { ["\n" + $0[0], $0[1], $0[2]] }),
    Forgery(
      "a byte behind a certificate", .certificates, code: .invalidCertificate,
      token: certified { [Base64.encode((Base64.decode($0[0]) ?? []) + [0]), $0[1], $0[2]] }),
    Forgery(
      "a certificate that is none", .certificates, code: .invalidCertificate,
      token: certified { ["AAAA", $0[1], $0[2]] }),
    Forgery(
      "an intermediate that is none", .certificates, code: .invalidCertificate,
      token: certified { [$0[0], "MAA=", $0[2]] }),
  ]

  static let ofChainRoles: [Forgery] = [
    Forgery(
      "an intermediate that is no authority (A2)", .authority, code: .invalidCertificate,
      token: made { $0.intermediate.basicConstraints = .endEntity }),
    Forgery(
      "an intermediate that does not say (A2)", .authority, code: .invalidCertificate,
      token: made { $0.intermediate.basicConstraints = nil }),
    Forgery(
      "an intermediate that may not certify (A2)", .authority, code: .invalidCertificate,
      token: made { $0.intermediate.keyUsage = .digitalSignature }),
    Forgery(
      "a root without intermediates (A2)", .authority, code: .invalidCertificate,
      token: withoutIntermediates.chain.sign(transaction)
    ),
    Forgery(
      "a leaf that may certify (A2)", .leafUsage, code: .invalidCertificate,
      token: made { $0.leaf.basicConstraints = .authority() }),
    Forgery(
      "a leaf that may not sign data (A2)", .leafUsage, code: .invalidCertificate,
      token: made { $0.leaf.keyUsage = .keyEncipherment }),
    Forgery(
      "a leaf with a critical unknown (A2)", .criticalExtensions, code: .invalidCertificate,
      token: made { $0.leaf.extensions.append(X509Extension("1.2.3.4", isCritical: true, value: [5, 0])) }),
    Forgery(
      "an intermediate with a critical unknown (A2)", .criticalExtensions, code: .invalidCertificate,
      token: made {
        $0.intermediate.extensions.append(X509Extension("2.5.29.30", isCritical: true, value: [0x30, 0]))
      }),
    Forgery(
      "an intermediate without marker (A2)", .intermediateMarker, code: .missingOID,
      token: made { $0.intermediate.extensions = [] }),
    Forgery(
      "an intermediate with another marker (A2)", .intermediateMarker, code: .missingOID,
      token: made { $0.intermediate.extensions = [.marker("1.2.840.113635.100.6.2.2")] }),
    Forgery("a leaf without marker (A2)", .leafMarker, code: .missingOID, token: made { $0.leaf.extensions = [] }),
    Forgery(
      "a leaf with the intermediate's marker (A2)", .leafMarker, code: .missingOID,
      token: made { $0.leaf.extensions = [.marker("1.2.840.113635.100.6.2.1")] }),
    Forgery(
      "a leaf on P-384 (A3)", .leafKey, code: .invalidCertificate,
      token: made { $0.leafKey = ECDSAPrivateKey(curve: .p384, randomBytes: TestAppStore.seed(14)) }),
    Forgery(
      "a leaf that had expired", .validity, code: .expired,
      token: made { $0.leaf.notAfter = TestAppStore.signedDate - .seconds(1) }),
    Forgery(
      "a leaf that was not valid yet", .validity, code: .expired,
      token: made { $0.leaf.notBefore = TestAppStore.signedDate + .seconds(1) }),
    Forgery(
      "an intermediate that had expired", .validity, code: .expired,
      token: made { $0.intermediate.notAfter = TestAppStore.signedDate - .seconds(1) }),
    Forgery("a root that had expired", .validity, code: .expired, token: expiredRoot.chain.sign(transaction)),
  ]

  static let ofChainTrust: [Forgery] = [
    Forgery("a chain with its own root (A2)", .anchor, code: .invalidChain, token: chain(of: other).sign(transaction)),
    Forgery(
      "its own root replaced by the trusted one (A2)", .anchor, code: .invalidChain,
      token: chain(of: other).sign(
        transaction.bytes,
        header: TestAppStore.header([
          (
            "x5c",
            .array(
              (chain(of: other).certificates.prefix(2) + [TestAppStore.authority.root]).map {
                .string(Base64.encode($0.der))
              })
          )
        ]))),
    Forgery(
      "roots of the same name and other keys (A2)", .path, code: .invalidChain,
      token: chain(of: namesake).sign(transaction)),
    Forgery(
      "an intermediate signed by another (A2)", .path, code: .invalidChain,
      token: made { $0.intermediateSigner = $0.leafKey }),
    Forgery("a leaf signed by another (A2)", .path, code: .invalidChain, token: made { $0.leafSigner = $0.leafKey }),
    Forgery("a leaf signed by the root (A2)", .path, code: .invalidChain, token: made { $0.leafSigner = $0.rootKey }),
    Forgery(
      "a leaf that names another issuer (A2)", .path, code: .invalidChain,
      token: made { $0.namedIssuer = TestAppStore.authority.intermediate }),
    Forgery(
      "simulated data for production (A5)", .environment, code: .invalidEnvironment,
      token: TestAppStore.chain.sign(transaction),
      expecting: SignedDataExpectations(apps: TestAppStore.expectations.apps, environments: [.production, .sandbox])),
    Forgery(
      "data that calls itself Xcode (A5)", .environment, code: .invalidEnvironment,
      token: TestAppStore.chain.sign(transaction.with([("environment", .string("Xcode"))])),
      expecting: SignedDataExpectations(apps: TestAppStore.expectations.apps, environments: [.xcode])),
  ]
}
