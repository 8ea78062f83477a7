import AppStoreProtocol
import CounterfoilCLI
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import Testing

@Suite struct `The command verify, of receipts` {
  private static let now = Timestamp(seconds: 1_795_000_000)
  private static let device = "01020304-0506-0708-090a-0b0c0d0e0f10"
  private static let authority = ReceiptShapedAuthority(
    name: "Made for tests", randomBytes: [UInt8](repeating: 5, count: 48), notBefore: now - .days(100),
    notAfter: now + .days(100))
  private static let chain = authority.signingChain(
    serialNumber: 7, randomBytes: [UInt8](repeating: 6, count: 48), notBefore: now - .days(50),
    notAfter: now + .days(50))

  private static let appReceipt: String = {
    var purchase = AppReceiptContent()
    purchase.add(1701, number: 1)
    purchase.add(1702, text: "com.example.coins60")
    purchase.add(1703, text: "77")
    purchase.add(1704, date: now - .minutes(1))
    purchase.add(1799, number: 1)
    var content = AppReceiptContent()
    content.add(0, text: "ProductionSandbox")
    content.add(2, text: "com.example.app")
    content.add(device: Array(1...16), opaqueValue: [1, 2], bundleId: "com.example.app")
    content.add(12, date: now - .minutes(1))
    content.add(purchase: purchase)
    return chain.appReceipt(content)
  }()

  private static let transactionReceipt = chain.transactionReceipt(
    [("transaction-id", "88"), ("bid", "com.example.app"), ("purchase-date-ms", "\(now.milliseconds - 1000)")],
    environment: "Production")

  private struct NoSuchFile: Error {}

  private func run(_ arguments: String..., evidence: [UInt8]) throws -> (code: Int32, line: JSONValue?) {
    let files = [
      "f": evidence, "root.der": Self.authority.root.der, "issuer.der": Self.authority.intermediate.der,
    ]
    var output = ""
    let code = VerifyCommand.run(
      arguments: arguments,
      platform: VerifyCommand.Platform(
        now: Self.now,
        readFile: { name in
          guard let bytes = files[name] else { throw NoSuchFile() }
          return bytes
        }, print: { output += $0 }, printError: { _ in }))
    return (code, output.isEmpty ? nil : try JSONReader.read(output.dropLast().utf8))
  }

  @Test func `refuses a receipt under an unknown root, of another app, of another device`() throws {
    let evidence = Array(Self.appReceipt.utf8)
    for (arguments, code) in [
      (["f"], "receipt_untrusted"),
      (["--root", "root.der", "--bundle-id", "com.example.other", "f"], "receipt_other_app"),
      (
        ["--root", "root.der", "--device", "ff020304-0506-0708-090a-0b0c0d0e0f10", "f"], "receipt_other_device"
      ),
      (["--root", "root.der", "--environment", "production", "f"], "receipt_environment"),
    ] {
      var output = ""
      let exit = VerifyCommand.run(
        arguments: arguments,
        platform: VerifyCommand.Platform(
          now: Self.now, readFile: { $0 == "f" ? evidence : Self.authority.root.der }, print: { output += $0 },
          printError: { _ in }))
      let line = try JSONReader.read(output.dropLast().utf8)
      #expect(exit == 1 && line["valid"]?.bool == false && line["failedCheck"]?.string == code)
      #expect(line["facts"]?["bundle_id"]?.string == "com.example.app")
    }
  }

  @Test(arguments: ["--device", "--issuer"]) func `answers a wrong value with 2`(_ option: String) throws {
    #expect(try run(option, "xyz", "f", evidence: []).code == 2)
    #expect(try run(option, evidence: []).code == 2)
  }

  @Test func `prints an app receipt's checks and facts, in any form of its file`() throws {
    let binary = try #require(Base64.decode(Self.appReceipt))
    let inJSON = JSONValue.members([("receipt-data", .string(Self.appReceipt))]).bytes
    for evidence in [Array(Self.appReceipt.utf8), binary, inJSON, Array((Self.appReceipt + "\n").utf8)] {
      let (code, line) = try run(
        "--root", "root.der", "--bundle-id", "com.example.app", "--device", Self.device, "f", evidence: evidence)
      #expect(code == 0 && line?["kind"]?.string == "appReceipt" && line?["valid"]?.bool == true)
      #expect(line?["failedCheck"] == .null)
      #expect(line?["checks"]?.array?.count == ReceiptCheck.allCases.count)
      let purchase = line?["facts"]?["in_app"]?.array?.first
      #expect(purchase?["transaction_id"]?.string == "77" && purchase?["product_id"]?.string == "com.example.coins60")
      #expect(purchase?["unknown"]?.array?.first?["type"]?.integer == 1799)
      #expect(line?["facts"]?["receipt_type"]?.string == "ProductionSandbox")
    }
  }

  @Test func `reports whether the chain of a transaction receipt can be shown`() throws {
    let evidence = Array(Self.transactionReceipt.utf8)
    let (code, line) = try run("--root", "root.der", "f", evidence: evidence)
    #expect(code == 1 && line?["kind"]?.string == "transactionReceipt")
    #expect(line?["failedCheck"]?.string == "receipt_chain_not_shown")
    #expect(line?["facts"]?["transaction-id"]?.string == "88")
    let known = try run("--root", "root.der", "--issuer", "issuer.der", "f", evidence: evidence)
    #expect(known.code == 0 && known.line?["valid"]?.bool == true)
  }
}
