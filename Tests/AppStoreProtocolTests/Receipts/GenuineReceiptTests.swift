import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import StrictJSON
import TestDoubles
import TestFixtures
import Testing

/// Receipts that Apple signed, from public repositories. Not in this repository.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
struct `A genuine receipt` {
  private let verifier: ReceiptVerifier
  private let now = Timestamp(seconds: 1_795_000_000)

  init() throws { verifier = try ReceiptVerifier(.production) }

  private static func expected(_ path: String) throws -> JSONValue {
    try Fixtures.json(path.replacing(".b64", with: ".expected.json"))
  }

  @Test(arguments: Fixtures.names(in: "apple-receipts/genuine", ending: ".b64"))
  func `is valid with the facts that its description names`(_ name: String) throws {
    let path = "apple-receipts/genuine/\(name)"
    let expected = try Self.expected(path)
    let fields = try #require(expected["fields"])
    let environment: StoreEnvironment = fields["environment"]?.string == "Production" ? .production : .sandbox
    let bundleId = try #require(fields["bundle_id"]?.string)
    let verdict = verifier.verifyAppReceipt(
      try Fixtures.text(path),
      expecting: SignedDataExpectations(apps: [AppIdentity(bundleId: bundleId)], environments: [environment]), at: now)
    let verified = try #require(verdict.verified, "\(name): \(verdict.failure?.description ?? "")")
    let receipt = verified.receipt
    #expect(verified.chain?.anchor == .apple("Apple Root CA"))
    #expect(receipt.environment == fields["environment"]?.string && receipt.bundleId == bundleId)
    #expect(receipt.applicationVersion == fields["application_version"]?.string)
    #expect(receipt.originalApplicationVersion == fields["original_application_version"]?.string)
    #expect(receipt.appItemId == fields["app_item_id"]?.integer)
    #expect(receipt.installerVersionId == fields["version_external_identifier"]?.integer)
    #expect(receipt.downloadId == fields["download_id"]?.integer)
    #expect(receipt.opaqueValue.map { Int64($0.count) } == fields["opaque_len"]?.integer)
    #expect(receipt.deviceHash?.hexadecimal == fields["sha1_hash"]?.string)
    #expect(receipt.creationDate == Self.date(fields["creation_date"]))
    #expect(receipt.originalPurchaseDate == Self.date(fields["original_purchase_date"]))
    #expect(receipt.expirationDate == Self.date(fields["expiration_date"]))
    let entries = expected["in_app"]?.array ?? []
    #expect(receipt.inApp.count == entries.count)
    for (entry, said) in zip(receipt.inApp, entries) { Self.compare(entry, said, name: name) }
    let purchases = AppStoreEvidence.purchases(of: verified)
    #expect(purchases.allSatisfy { (try? $0.get()) != nil }, "every purchase states what the engine needs")
  }

  private static func compare(_ entry: InAppReceipt, _ said: JSONValue, name: String) {
    #expect(entry.quantity == said["quantity"]?.integer)
    #expect(entry.productId == said["product_id"]?.string)
    #expect(entry.transactionId == said["transaction_id"]?.string)
    #expect(entry.originalTransactionId == said["original_transaction_id"]?.string)
    #expect(entry.purchaseDate == date(said["purchase_date"]))
    #expect(entry.originalPurchaseDate == date(said["original_purchase_date"]))
    #expect(entry.expiresDate == date(said["expires_date"]))
    #expect(entry.cancellationDate == date(said["cancellation_date"]))
    #expect(entry.productType == said["product_type"]?.integer)
    #expect(entry.webOrderLineItemId == said["web_order_line_item_id"]?.integer)
    #expect(entry.isTrialPeriod == said["is_trial_period"]?.integer)
    #expect(entry.isInIntroOfferPeriod == said["is_in_intro_offer_period"]?.integer)
  }

  private static func date(_ value: JSONValue?) -> Timestamp? { value?.string.flatMap { Timestamp(iso8601: $0) } }

  @Test(arguments: Fixtures.names(in: "apple-receipts/genuine", ending: ".b64"))
  func `is refused once a byte of its content changes (A1)`(_ name: String) throws {
    var bytes = try #require(Base64.decode(try Fixtures.text("apple-receipts/genuine/\(name)")))
    let bundleId = try #require(
      try Self.expected("apple-receipts/genuine/\(name)")["fields"]?["bundle_id"]?.string)
    let place = try #require((0..<bytes.count).first { bytes[$0...].starts(with: bundleId.utf8) })
    bytes[place] ^= 1
    let verdict = verifier.verifyAppReceipt(Base64.encode(bytes), expecting: SignedDataExpectations(), at: now)
    #expect(verdict.failedCheck == .signature)
  }

  @Test(arguments: Fixtures.names(in: "apple-receipts/xcode", ending: ".b64"))
  func `of Xcode is refused, and accepted only by configuration`(_ name: String) throws {
    let text = try Fixtures.text("apple-receipts/xcode/\(name)")
    let verdict = verifier.verifyAppReceipt(text, expecting: SignedDataExpectations(), at: now)
    #expect(!verdict.isValid && verdict.failedCheck == .certificates)
    #expect(verdict.unverified?.environment == "Xcode")
    let lenient = try ReceiptVerifier(SignedDataConfiguration(profile: .development, unsignedEnvironments: [.xcode]))
    let taken = try #require(lenient.verifyAppReceipt(text, expecting: SignedDataExpectations(), at: now).verified)
    #expect(taken.environment == .xcode && taken.chain == nil)
    let expected = try Self.expected("apple-receipts/xcode/\(name)")
    #expect(taken.receipt.bundleId == expected["fields"]?["bundle_id"]?.string)
    #expect(taken.receipt.inApp.count == expected["in_app"]?.array?.count)
  }

  /// Signers until 2015 had keys of 1024 bits: their signature is correct, but only Apple can confirm the receipt.
  /// Later receipts are valid under the authority that we know.
  @Test(arguments: Fixtures.names(in: "apple-receipts/ios6", ending: ".b64"))
  func `of one transaction is distinguished from a forged one`(_ name: String) throws {
    let path = "apple-receipts/ios6/\(name)"
    let expected = try Self.expected(path)
    let verdict = verifier.verifyTransactionReceipt(
      try Fixtures.text(path), expecting: SignedDataExpectations(), at: now)
    guard expected["verdict"]?.string == "valid" else {
      #expect(!verdict.isValid && verdict.unconfirmed == nil)
      #expect(verdict.failedCheck != nil && verdict.failure?.code != .chainNotShown)
      return
    }
    let receipt: TransactionReceipt
    if let verified = verdict.verified {
      receipt = verified.receipt
      #expect(verified.environment == .undetermined && verified.chain.anchor == .apple("Apple Root CA"))
      #expect((try? AppStoreEvidence.purchase(of: verified)) != nil)
    } else {
      #expect(verdict.failure?.code == .chainNotShown, "\(verdict.failure?.description ?? "")")
      receipt = try #require(verdict.unconfirmed)
    }
    for member in expected["purchase-info"]?.object ?? [] {
      #expect(receipt.fields[member.name] == member.value.string)
    }
    #expect(receipt.transactionId != nil && receipt.purchaseDate != nil && receipt.productId != nil)
  }

  @Test func `of one transaction since 2015 is valid under Apple's own authority`() throws {
    let names = Fixtures.names(in: "apple-receipts/ios6", ending: ".b64")
    let valid = try names.filter { name in
      try verifier.verifyTransactionReceipt(
        Fixtures.text("apple-receipts/ios6/\(name)"), expecting: SignedDataExpectations(), at: now
      ).isValid
    }
    #expect(valid.count == 2, "the two of version 3")
  }

  /// Another project's generator makes intermediates without Apple's marker. All its receipts are read, and refused for
  /// that. Without that check, the receipts that its authors call valid are valid.
  @Test func `made by another project's generator is read, and refused because it lacks the marker`() throws {
    let manifest = try Fixtures.json("apple-receipts/synthetic/manifest.json")["receipt"]
    let root = try X509Certificate(der: Fixtures.bytes("apple-receipts/synthetic/receipt-root.der"))
    let configuration = SignedDataConfiguration(profile: .development, anchors: [root])
    let verifier = try ReceiptVerifier(configuration)
    let names = Fixtures.names(in: "apple-receipts/synthetic", ending: ".der").filter { !$0.hasSuffix("root.der") }
    for name in names {
      let text = Base64.encode(try Fixtures.bytes("apple-receipts/synthetic/\(name)"))
      let verdict = verifier.verifyAppReceipt(text, expecting: SignedDataExpectations(), at: now)
      #expect(!verdict.isValid && verdict.unverified?.bundleId == manifest?["bundleId"]?.string, "\(name)")
      #if DEBUG
        let lenient = try ReceiptVerifier(configuration, leavingOut: .intermediateMarker)
        let again = lenient.verifyAppReceipt(text, expecting: SignedDataExpectations(), at: now)
        let isForeign = name.contains("no-signer-oid") || name.contains("expired")
        #expect(again.isValid == !isForeign, "\(name): \(again.failure?.description ?? "")")
      #endif
    }
  }
}
