import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import Testing

@Suite struct `A transaction receipt of iOS 6` {
  private let text = TestReceipts.chain.transactionReceipt(TestReceipts.fields(), environment: "Sandbox")

  private func judge(_ verifier: ReceiptVerifier, _ text: String) -> TransactionReceiptVerdict {
    verifier.verifyTransactionReceipt(
      text, expecting: SignedDataExpectations(apps: TestReceipts.expectations.apps), at: TestAppStore.now)
  }

  @Test func `without its issuer's certificate is neither valid nor forged, and Apple must be asked`() throws {
    let verifier = try ReceiptVerifier(TestReceipts.configuration)
    let verdict = judge(verifier, text)
    #expect(!verdict.isValid && verdict.failure?.code == .chainNotShown && verdict.failedCheck == .anchor)
    #expect(verdict.unconfirmed?.transactionId == "1000000046178817" && verdict.unverified == nil)
    #expect(verdict.checks.first { $0.check == .signature }?.outcome == .passed)
  }

  @Test func `is valid if its issuer is configured`() throws {
    let verdict = judge(try TestReceipts.verifier(), text)
    let verified = try #require(verdict.verified, "\(verdict.failure?.description ?? "")")
    #expect(verified.environment == .simulated)
    let purchase = try AppStoreEvidence.purchase(of: verified)
    #expect(purchase.transaction.text == "1000000046178817" && purchase.quantity == 1)
    #expect(purchase.storeProduct.text == "com.example.\"coins\\60")
    #expect(purchase.purchaseDate.seconds == TestReceipts.created.seconds && purchase.kind == nil)
    #expect(verdict.checks.map(\.check).count == 18)
    #expect(verdict.checks.first { $0.check == .environment }?.outcome == .notRun)
  }

  @Test func `states no environment: the value outside the signature is not read`() throws {
    let verifier = try TestReceipts.verifier()
    for word in ["Production", "Sandbox", "Xcode", nil] {
      let text = TestReceipts.chain.transactionReceipt(TestReceipts.fields(), environment: word)
      #expect(judge(verifier, text).verified?.environment == .simulated)
    }
  }
}

@Suite struct `A property list as text` {
  @Test(arguments: [
    "", "{", "}", "{}x", "{a = b}", "{a b;}", "{a = ;}", "{\"a\" = \"b;}", "{a = (b);}", "{a = {b = c;};}",
    "{a = <00>;}",
    "{a = b; a = c;}", "{\"a\" = \"\\x\";}", "{\"a\" = \"\\U12\";}", "{\"a\" = \"\\Ud800\";}", "{a = \"\\", "(a)",
  ])
  func `of another form is refused`(_ text: String) {
    #expect(TextPropertyList.read(Array(text.utf8)) == nil)
  }

  @Test func `that is not UTF-8, or has too many keys, is refused`() {
    #expect(TextPropertyList.read(Array("{a = \"".utf8) + [0xFF] + Array("\";}".utf8)) == nil)
    let many = "{" + (0..<257).map { "k\($0) = v;" }.joined() + "}"
    #expect(TextPropertyList.read(Array(many.utf8)) == nil)
  }

  @Test func `is read with and without quotation marks, and with escapes`() {
    let text = "{\n\t\"a b\" = \"c \\\"d\\\" \\\\ \\n \\U4e2d\";\n  e=f-1.2;\n}\n"
    #expect(TextPropertyList.read(Array(text.utf8)) == ["a b": "c \"d\" \\ \n 中", "e": "f-1.2"])
    #expect(TextPropertyList.read(Array("{}".utf8)) == [:])
  }
}
