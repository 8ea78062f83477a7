import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import Testing

@Suite struct `An app receipt` {
  private let verifier: ReceiptVerifier
  private let good = TestReceipts.chain.appReceipt(TestReceipts.content())

  init() throws { verifier = try TestReceipts.verifier() }

  private func judge(_ text: String) -> AppReceiptVerdict {
    verifier.verifyAppReceipt(
      text, expecting: TestReceipts.expectations, device: TestReceipts.device, at: TestAppStore.now)
  }

  @Test func `with an incomplete purchase is read, and only that purchase is refused`() throws {
    for missing: Int64 in 1701...1707 {
      let content = TestReceipts.content { $0.add(purchase: TestReceipts.coins(leavingOut: [missing])) }
      let verified = try #require(judge(TestReceipts.chain.appReceipt(content)).verified)
      let purchases = AppStoreEvidence.purchases(of: verified)
      #expect(purchases.count == 3)
      #expect((try? purchases[0].get()) != nil && (try? purchases[1].get()) != nil)
      switch missing {
      case 1706: #expect(try purchases[2].get().originalPurchaseDate == nil)
      case 1707: #expect(try purchases[2].get().kind == nil)
      default: #expect(throws: CodedError<AppStoreEvidenceErrorCode>(.missingField)) { try purchases[2].get() }
      }
    }
  }

  @Test func `without content is refused because it has no date, and causes no crash`() {
    let verdict = verifier.verifyAppReceipt(
      TestReceipts.chain.appReceipt(AppReceiptContent()), expecting: SignedDataExpectations(), at: TestAppStore.now)
    #expect(verdict.failure?.code == .undated)
    #expect(verdict.unverified?.inApp == [])
  }

  @Test func `of Xcode gives no purchase, because all its purchases have the number 0`() throws {
    var purchase = TestReceipts.coins(leavingOut: [1703])
    purchase.add(1703, text: "0")
    let content = TestReceipts.content { [purchase] in $0.add(purchase: purchase) }
    let verified = try #require(judge(TestReceipts.chain.appReceipt(content)).verified)
    #expect(throws: CodedError<AppStoreEvidenceErrorCode>(.absurdField)) {
      try AppStoreEvidence.purchases(of: verified)[2].get()
    }
  }

  @Test(arguments: [
    ("2013-08-01T07:00:00+0100", true), ("2013-08-01T07:00:00Z", true), ("2013-08-01", false), ("yesterday", false),
    ("2013-13-01T07:00:00Z", false), ("+", false),
  ])
  func `has dates of RFC 3339, as Xcode writes them too`(_ text: String, _ isValid: Bool) {
    let content = TestReceipts.content { $0.add(21, ascii: text) }
    #expect(judge(TestReceipts.chain.appReceipt(content)).isValid == isValid)
  }

  @Test func `states purchases with every field that the engine needs`() throws {
    let verified = try #require(judge(good).verified)
    #expect(verified.environment == .simulated && verified.effectiveDate == TestReceipts.created)
    #expect(verified.app?.bundleId == TestAppStore.bundleId)
    #expect(verified.receipt.unknown.map(\.type) == [25])
    let purchases = try AppStoreEvidence.purchases(of: verified).map { try $0.get() }
    let coins = try #require(purchases.first { $0.kind == .consumable })
    #expect(coins.transaction.text == "2000000943569033" && coins.originalTransaction == coins.transaction)
    #expect(coins.storeProduct.text == "com.example.coins60" && coins.quantity == 2)
    #expect(coins.purchaseDate == TestReceipts.created - .seconds(2))
    #expect(coins.expiresDate == nil && coins.cancellationDate == nil && coins.webOrderLineItem == nil)
    #expect(coins.bundleId == TestAppStore.bundleId && coins.environment == .simulated)
    #expect(coins.receiptCreationDate == TestReceipts.created)
    let month = try #require(purchases.first { $0.kind == .autoRenewable })
    #expect(month.originalTransaction.text == "2000000943569001" && month.webOrderLineItem == "2000000093456789")
    #expect(month.expiresDate == TestReceipts.created + .days(30))
    #expect(month.originalPurchaseDate == TestReceipts.created - .days(30))
    #expect(verified.receipt.inApp[1].unknown.map(\.type) == [1799])
    #expect(verified.receipt.inApp[1].isInIntroOfferPeriod == 1)
  }

  @Test func `states when Apple refunded a purchase`() throws {
    var purchase = TestReceipts.coins(leavingOut: [1703])
    purchase.add(1703, text: "7")
    var refunded = AppReceiptContent()
    refunded.add(1701, number: 1)
    refunded.add(1702, text: "com.example.coins60")
    refunded.add(1703, text: "8")
    refunded.add(1704, date: TestReceipts.created)
    refunded.add(1705, text: "8")
    refunded.add(1712, date: TestReceipts.created)
    let content = TestReceipts.content { [refunded] in $0.add(purchase: refunded) }
    let verified = try #require(judge(TestReceipts.chain.appReceipt(content)).verified)
    #expect(try AppStoreEvidence.purchases(of: verified)[2].get().cancellationDate == TestReceipts.created)
  }

  @Test func `may have indefinite lengths, pieces, signed attributes, SHA-1 and one more wrapping`() throws {
    let content = TestReceipts.content()
    let wrapped: [UInt8] = TestReceipts.chain.appReceipt(wrapping(content.bytes))
    let texts = [
      TestReceipts.chain.appReceipt(content) { $0.isIndefinite = true },
      TestReceipts.chain.appReceipt(content) { $0.attributed = content.bytes },
      TestReceipts.chain.appReceipt(content, digest: .sha1), Base64.encode(wrapped),
      // The root is recognized by its bytes, not by its place among the certificates.
      TestReceipts.chain.appReceipt(content) { $0.certificates.swapAt(0, 2) },
    ]
    let expected = try #require(judge(good).verified).receipt
    for text in texts {
      let verdict = judge(text)
      #expect(verdict.verified?.receipt == expected, "\(verdict.failure?.description ?? "")")
    }
  }

  /// Wraps the set in one more OCTET STRING, as Xcode does.
  private func wrapping(_ bytes: [UInt8]) -> [UInt8] {
    [0x04, 0x82, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  @Test func `is judged at its creation, not today`() throws {
    let verdict = verifier.verifyAppReceipt(
      good, expecting: TestReceipts.expectations, at: TestAppStore.now + .days(4000))
    #expect(verdict.isValid)
  }
}

@Suite struct `The transport of a receipt` {
  private let good = TestReceipts.chain.appReceipt(
    TestReceipts.content { $0.add(98, value: [0xFB, 0xEF, 0xBE, 0xFF]) })

  private func judge(_ text: String) throws -> AppReceiptVerdict {
    try TestReceipts.verifier().verifyAppReceipt(
      text, expecting: TestReceipts.expectations, at: TestAppStore.now)
  }

  @Test func `is repaired, and each repair is named (1B.6)`() throws {
    #expect(good.contains("+"))
    let lines = stride(from: 0, to: good.count, by: 76).map { start in
      String(good.dropFirst(start).prefix(76))
    }.joined(separator: "\r\n")
    let url = good.replacing("+", with: "-").replacing("/", with: "_")
    let cases: [(String, [ReceiptRepair])] = [
      (good, []), (good.replacing("+", with: " "), [.spacesToPlus]), (lines + "\n", [.lineEnds]),
      (Base64.encode(good.utf8), [.doubledBase64]),
      (Base64.encode(lines.utf8), [.doubledBase64, .lineEnds]),
      (url, url == good ? [] : [.urlAlphabet]),
    ]
    for (text, repairs) in cases {
      let verdict = try judge(text)
      #expect(verdict.isValid && verdict.repairs == repairs, "\(verdict.failure?.description ?? "") \(verdict.repairs)")
      let shown = verdict.checks.first { $0.check == .transport }?.detail ?? ""
      #expect(repairs.allSatisfy { shown.contains($0.rawValue) })
    }
    // Of three lengths of a receipt, two end in padding.
    for count in 1...3 {
      let text = TestReceipts.chain.appReceipt(
        TestReceipts.content { $0.add(98, value: [UInt8](repeating: 1, count: count)) })
      let bare = text.replacing("=", with: "")
      let verdict = try judge(bare)
      #expect(verdict.isValid && verdict.repairs == (bare == text ? [] : [.padding]))
    }
  }

  @Test func `does not turn a JWS or three layers of Base64 into a receipt`() throws {
    let token = TestAppStore.chain.sign(TestAppStore.transaction)
    #expect(try judge(token).failure?.code == .isSignedData)
    #expect(try judge(Base64.encode(token.utf8)).failure?.code == .isSignedData)
    #expect(try judge(Base64.encode(Base64.encode(Base64.encode(good.utf8).utf8).utf8)).failure?.code == .malformed)
  }

  @Test func `distinguishes both forms of receipts from other evidence (1B.13)`() {
    #expect(ReceiptForm(good) == .appReceipt)
    #expect(ReceiptForm(Base64.encode(good.utf8)) == .appReceipt)
    #expect(ReceiptForm(TestAppStore.chain.sign(TestAppStore.transaction)) == .signedData)
    let transaction = TestReceipts.chain.transactionReceipt(TestReceipts.fields(), environment: "Sandbox")
    #expect(ReceiptForm(transaction) == .transactionReceipt && transaction.hasPrefix("ew"))
    #expect(ReceiptForm("2000000943569033") == nil && ReceiptForm("") == nil && ReceiptForm("!") == nil)
  }
}
