import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import Testing

/// A receipt that must be refused, and the check and code that must refuse it. Each is wrong in one respect only.
struct ReceiptForgery: Sendable, CustomTestStringConvertible {
  let name: String
  let check: ReceiptCheck
  let code: ReceiptErrorCode
  let text: String
  var isOfTransaction = false
  var expectations = TestReceipts.expectations

  var testDescription: String { name }

  init(
    _ name: String, _ check: ReceiptCheck, code: ReceiptErrorCode, text: String, ofTransaction: Bool = false,
    expecting expectations: SignedDataExpectations = TestReceipts.expectations
  ) {
    self.name = name
    self.check = check
    self.code = code
    self.text = text
    isOfTransaction = ofTransaction
    self.expectations = expectations
  }

  /// The roots that the verifier of a forgery trusts. One is the subject of a forgery.
  static let configuration = SignedDataConfiguration(
    profile: .development,
    anchors: [ReceiptRecipe.trustedRoot, ellipticDigest.chain.certificates[2]])

  func judge(
    _ verifier: ReceiptVerifier
  ) -> (isValid: Bool, check: ReceiptCheck?, code: ReceiptErrorCode?) {
    let (expecting, now) = (expectations, TestAppStore.now)
    if isOfTransaction {
      let verdict = verifier.verifyTransactionReceipt(text, expecting: expecting, at: now)
      return (verdict.isValid, verdict.failedCheck, verdict.failure?.code)
    }
    let verdict = verifier.verifyAppReceipt(text, expecting: expecting, device: TestReceipts.device, at: now)
    return (verdict.isValid, verdict.failedCheck, verdict.failure?.code)
  }

  static let all = ofForm + ofContent + ofChain + ofSignature + ofTransactionReceipts

  fileprivate static let ellipticDigest = ReceiptRecipe {
    $0.root.subject = X509NameParts(commonName: "Made for tests Elliptic Root CA")
    $0.ellipticRoot = ECDSAPrivateKey(curve: .p384, randomBytes: TestAppStore.seed(25))
    $0.intermediate.digest = .sha512
  }
}

private let chain = TestReceipts.chain
private let good = chain.appReceipt(TestReceipts.content())

private func signed(_ content: AppReceiptContent) -> String { chain.appReceipt(content) }

private func by(_ change: (inout ReceiptRecipe) -> Void) -> String {
  ReceiptRecipe(change).chain.appReceipt(TestReceipts.content())
}

extension ReceiptForgery {
  static let ofForm: [ReceiptForgery] = [
    ReceiptForgery(
      "more than 8 MiB", .size, code: .tooLarge,
      text: signed(TestReceipts.content { $0.add(99, value: [UInt8](repeating: 1, count: 7 << 20)) })),
    ReceiptForgery(
      "a character of no alphabet", .transport, code: .notBase64,
      text: String(good.prefix(40)) + "!" + String(good.dropFirst(40))),
    ReceiptForgery("nothing", .transport, code: .notBase64, text: ""),
    ReceiptForgery(
      "a signed transaction", .transport, code: .isSignedData, text: TestAppStore.chain.sign(TestAppStore.transaction)),
    ReceiptForgery(
      "a transaction receipt", .form, code: .otherKind,
      text: chain.transactionReceipt(TestReceipts.fields(), environment: nil)),
    ReceiptForgery("a text", .form, code: .malformed, text: Base64.encode("hello".utf8)),
    ReceiptForgery(
      "a byte behind it", .form, code: .malformed,
      text: Base64.encode(chain.appReceipt(TestReceipts.content().bytes) as [UInt8] + [0])),
    ReceiptForgery(
      "SHA-512", .algorithm, code: .algorithm, text: chain.appReceipt(TestReceipts.content(), digest: .sha512)),
  ]

  static let ofContent: [ReceiptForgery] = [
    ReceiptForgery(
      "an expiration that is a number", .payload, code: .malformedAttribute,
      text: signed(TestReceipts.content { $0.add(21, number: 5) })),
    ReceiptForgery(
      "two quantities", .payload, code: .malformedAttribute,
      text: signed(
        TestReceipts.content { content in
          var purchase = TestReceipts.coins()
          purchase.add(1701, number: 100)
          content.add(purchase: purchase)
        })),
    ReceiptForgery(
      "another app (A4)", .appIdentifier, code: .otherApp,
      text: signed(TestReceipts.content(bundleId: "com.example.other"))),
    ReceiptForgery("no app", .appIdentifier, code: .otherApp, text: signed(TestReceipts.content(bundleId: nil))),
    ReceiptForgery(
      "another number in production", .appIdentifier, code: .otherApp,
      text: signed(TestReceipts.content(appItemId: 5))),
    ReceiptForgery("no date", .creationDate, code: .undated, text: signed(TestReceipts.content(created: nil))),
    ReceiptForgery(
      "a date in the future", .creationDate, code: .fromTheFuture,
      text: signed(TestReceipts.content(created: TestAppStore.now + .seconds(62)))),
    ReceiptForgery(
      "another device", .device, code: .otherDevice,
      text: signed(TestReceipts.content(device: [UInt8](repeating: 7, count: 16)))),
    ReceiptForgery("no device", .device, code: .otherDevice, text: signed(TestReceipts.content(device: nil))),
  ]

  static let ofChain: [ReceiptForgery] = [
    ReceiptForgery(
      "a signer that did not come along", .signer, code: .signerMissing,
      text: chain.appReceipt(TestReceipts.content()) { $0.serialNumber = [77] }),
    ReceiptForgery(
      "a digest that no such root uses", .certificates, code: .certificateUnusable,
      text: ellipticDigest.chain.appReceipt(TestReceipts.content())),
    ReceiptForgery(
      "a root of its own (A2)", .anchor, code: .untrusted,
      text: by { $0.root.subject = X509NameParts(commonName: "Somebody's Root CA") }),
    ReceiptForgery(
      "an intermediate that may not certify", .authority, code: .certificateUnusable,
      text: by { $0.intermediate.basicConstraints = .endEntity }),
    ReceiptForgery(
      "a signer that may certify", .leafUsage, code: .certificateUnusable,
      text: by { $0.signer.basicConstraints = .authority() }),
    ReceiptForgery(
      "an unknown critical extension", .criticalExtensions, code: .certificateUnusable,
      text: by { $0.signer.extensions.append(X509Extension("1.2.3.4", isCritical: true, value: [5, 0])) }),
    ReceiptForgery(
      "an intermediate without Apple's marker", .intermediateMarker, code: .markerMissing,
      text: by { $0.intermediate.extensions = [] }),
    ReceiptForgery(
      "a developer's certificate (A2)", .leafMarker, code: .markerMissing, text: by { $0.signer.extensions = [] }),
    ReceiptForgery(
      "a key of 1024 bits", .leafKey, code: .certificateUnusable, text: by { $0.key = ReceiptRecipe.shortKey }),
    ReceiptForgery(
      "an intermediate that the root did not sign (A2)", .path, code: .untrusted,
      text: by { $0.intermediateSigner = ReceiptRecipe.otherKey }),
    ReceiptForgery(
      "a signer that the intermediate did not sign (A2)", .path, code: .untrusted,
      text: by { $0.signerSigner = ReceiptRecipe.otherKey }),
    ReceiptForgery(
      "a signer that had expired", .validity, code: .certificateExpired,
      text: by { $0.signer.notAfter = TestReceipts.created - .seconds(1) }),
    ReceiptForgery(
      "a root that had expired", .validity, code: .certificateExpired,
      text: signed(TestReceipts.content(created: TestAppStore.now - .days(3651)))),
    ReceiptForgery(
      "a simulator's receipt that calls itself production (A5)", .environment, code: .otherEnvironment, text: good,
      expecting: SignedDataExpectations(environments: [.production, .sandbox])),
  ]

  static let ofSignature: [ReceiptForgery] = [
    ReceiptForgery(
      "signed attributes of another content", .signedAttributes, code: .invalidSignature,
      text: chain.appReceipt(TestReceipts.content()) { $0.attributed = [1, 2, 3] }),
    ReceiptForgery(
      "two million coins for two (A1)", .signature, code: .invalidSignature,
      text: replaced("com.example.coins60", "com.example.coins99")
    ),
    ReceiptForgery("another key's signature", .signature, code: .invalidSignature, text: swappedKey),
  ]

  private static let swappedKey = ReceiptSigningChain(key: ReceiptRecipe.shortKey, certificates: chain.certificates)
    .appReceipt(TestReceipts.content())

  /// The good receipt with a text replaced by another of the same length.
  private static func replaced(_ text: String, _ other: String) -> String {
    let bytes = Base64.decode(good) ?? []
    let place = (0..<bytes.count).first { bytes[$0...].starts(with: text.utf8) } ?? 0
    return Base64.encode(bytes[..<place] + Array(other.utf8) + bytes[(place + other.utf8.count)...])
  }

  static let ofTransactionReceipts: [ReceiptForgery] = [
    ReceiptForgery("an app receipt", .form, code: .otherKind, text: good, ofTransaction: true),
    ReceiptForgery(
      "a property list of something else", .form, code: .malformed, text: Base64.encode("{a = b;}".utf8),
      ofTransaction: true),
    ReceiptForgery(
      "a transaction of another app", .appIdentifier, code: .otherApp,
      text: chain.transactionReceipt(TestReceipts.fields(bundleId: "com.example.other"), environment: nil),
      ofTransaction: true),
    ReceiptForgery(
      "a transaction without a date", .creationDate, code: .undated,
      text: chain.transactionReceipt(TestReceipts.fields(purchased: nil), environment: nil), ofTransaction: true),
    ReceiptForgery(
      "a transaction that was changed (A1)", .signature, code: .invalidSignature, text: changedTransaction,
      ofTransaction: true),
    ReceiptForgery(
      "a transaction by a signer of nobody's", .path, code: .untrusted,
      text: ReceiptRecipe { $0.signerSigner = ReceiptRecipe.otherKey }.chain
        .transactionReceipt(TestReceipts.fields(), environment: nil), ofTransaction: true),
    ReceiptForgery(
      "a transaction by a developer", .leafMarker, code: .markerMissing,
      text: ReceiptRecipe { $0.signer.extensions = [] }.chain
        .transactionReceipt(TestReceipts.fields(), environment: nil), ofTransaction: true),
    ReceiptForgery(
      "a transaction under a key of 1024 bits", .leafKey, code: .chainNotShown,
      text: ReceiptRecipe { $0.key = ReceiptRecipe.shortKey }.chain
        .transactionReceipt(TestReceipts.fields(), environment: nil), ofTransaction: true),
  ]

  private static let changedTransaction: String = {
    let text = chain.transactionReceipt(TestReceipts.fields(), environment: nil)
    let list = String(decoding: Base64.decode(text) ?? [], as: UTF8.self)
    var fields = TestReceipts.fields()
    fields[3].value = "9"
    let other = chain.transactionReceipt(fields, environment: nil)
    let otherList = String(decoding: Base64.decode(other) ?? [], as: UTF8.self)
    // Combines the signature of one with the purchase-info of the other.
    let lines = list.split(separator: "\n")
    let otherLines = otherList.split(separator: "\n")
    return Base64.encode((lines[..<2] + otherLines[2...]).joined(separator: "\n").utf8)
  }()
}
