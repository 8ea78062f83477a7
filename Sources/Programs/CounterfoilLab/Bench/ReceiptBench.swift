import AppStoreProtocol
import CounterfoilCLI
import Cryptography
import PaymentPrimitives
import SigningAuthorities

/// The input of `bench verify --receipts`: app receipts of the size of Apple's under a root of its own, each with
/// different content. It also has the minimum work that a receipt needs.
struct ReceiptBench {
  private static let now = Timestamp(seconds: 1_795_000_000)
  private static let bundleId = "com.example.app"
  private static let receiptsMax = 64

  private let verifier: ReceiptVerifier
  private let expectations: SignedDataExpectations
  private let receipts: [String]
  private let contents: [[UInt8]]
  private let plain: RepeatedRSAVerification

  init() {
    let (start, end) = (Self.now - .days(100), Self.now + .days(100))
    let seed = { (number: UInt8) in [UInt8](repeating: number, count: 48) }
    let authority = ReceiptShapedAuthority(name: "Bench", randomBytes: seed(1), notBefore: start, notAfter: end)
    let chain = authority.signingChain(serialNumber: 3, randomBytes: seed(2), notBefore: start, notAfter: end)
    do {
      verifier = try ReceiptVerifier(SignedDataConfiguration(profile: .development, anchors: [authority.root]))
    } catch {
      preconditionFailure("a development configuration may name roots")
    }
    expectations = SignedDataExpectations(apps: [AppIdentity(bundleId: Self.bundleId)], environments: [.simulated])
    let contents = (0..<Self.receiptsMax).map { Self.content($0) }
    receipts = contents.map { chain.appReceipt($0) }
    self.contents = contents.map(\.bytes)
    let key = RSAPrivateKey(randomBytes: seed(4))
    let digest = SHA256.hash("bench")
    plain = RepeatedRSAVerification(key: key.publicKey, signature: key.signature(for: "bench".utf8), digest: digest)
    precondition(plain.isValid())
  }

  /// One purchase, as in most receipts; Apple's unknown attributes are present in their usual sizes.
  private static func content(_ turn: Int) -> AppReceiptContent {
    var purchase = AppReceiptContent()
    purchase.add(1701, number: 1)
    purchase.add(1702, text: "com.example.app.month")
    purchase.add(1703, text: "\(730_001_855_992_385 + turn)")
    purchase.add(1704, date: now - .minutes(2))
    purchase.add(1705, text: "730001855992385")
    purchase.add(1706, date: now - .days(30))
    purchase.add(1707, number: 3)
    purchase.add(1708, date: now + .days(30))
    purchase.add(1711, number: 730_000_874_935_598)
    purchase.add(1712, date: nil)
    purchase.add(1713, number: 0)
    purchase.add(1719, number: 0)
    for type: Int64 in [1709, 1710, 1714, 1715, 1716, 1717, 1718, 1722] { purchase.add(type, number: 0) }
    var content = AppReceiptContent()
    content.add(0, text: "Production")
    content.add(1, number: 1_403_007_996)
    content.add(2, text: bundleId)
    content.add(3, text: "210")
    content.add(device: Array(0..<16), opaqueValue: Array(0..<16), bundleId: bundleId)
    content.add(6, value: [UInt8](repeating: UInt8(turn), count: 60))
    content.add(7, value: [UInt8](repeating: 7, count: 76))
    content.add(8, date: now - .minutes(1))
    for type: Int64 in [9, 11, 13, 14, 15, 16, 20, 25] { content.add(type, number: 504_427_454_456) }
    content.add(10, ascii: "4+")
    content.add(12, date: now - .minutes(1))
    content.add(purchase: purchase)
    content.add(18, date: now - .days(31))
    content.add(19, text: "210")
    content.add(21, date: nil)
    return content
  }

  /// One SHA-256 of a receipt's content and three verifications of RSA-2048, by OpenSSL with everything prepared:
  /// signer, intermediate and root, as if nothing were cached.
  func verifyPlainly(_ turn: Int) {
    precondition(SHA256.hash(contents[turn % Self.receiptsMax]).count == 32)
    for _ in 0..<3 { precondition(plain.isValid()) }
  }

  /// One receipt from its text to its facts, with a known chain.
  func verify(_ turn: Int) {
    let verdict = verifier.verifyAppReceipt(
      receipts[turn % Self.receiptsMax], expecting: expectations, at: Self.now)
    precondition(verdict.isValid)
  }

  func verifyAnew(_ turn: Int) {
    guard let stranger = try? ReceiptVerifier(verifier.configuration) else { return }
    let verdict = stranger.verifyAppReceipt(
      receipts[turn % Self.receiptsMax], expecting: expectations, at: Self.now)
    precondition(verdict.isValid)
  }

  /// Measures row 2.
  func run(
    _ settings: BenchVerifyCommand.Settings, nanoseconds: @escaping () -> UInt64, into report: BenchReport
  ) {
    let stopwatch = PairedStopwatch(
      pairs: settings.pairs, batch: settings.batch, nanoseconds: nanoseconds, reference: verifyPlainly)
    report.note(stopwatch.description)
    report.reference(
      "times one SHA-256 and three RSA-2048 verifications a second by OpenSSL alone, best batch",
      stopwatch.referencesPerSecond())
    let known = stopwatch.measure(verify)
    report.row(
      .receipts, "app receipts verified; speed against one SHA-256 and three RSA-2048 verifications",
      ratios: known.map { 1 / $0 })
    report.detail("the same with certificates never seen before", stopwatch.measure(verifyAnew).map { 1 / $0 })
  }
}
