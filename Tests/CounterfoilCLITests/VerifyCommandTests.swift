import AppStoreProtocol
import CounterfoilCLI
import Cryptography
import Foundation
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import Testing

@Suite struct `The command verify` {
  static let now = Timestamp(seconds: 1_795_000_000)
  static let authority = AppleShapedAuthority(
    name: "Made for tests", randomBytes: [UInt8](repeating: 3, count: 48), notBefore: now - .days(100),
    notAfter: now + .days(100))
  static let chain = authority.signingChain(
    serialNumber: 7, randomBytes: [UInt8](repeating: 4, count: 48), notBefore: now - .days(50),
    notAfter: now + .days(50))
  static let payload: JSONValue = .members([
    ("transactionId", .string("1")), ("bundleId", .string("com.example.app")), ("environment", .string("Sandbox")),
    ("signedDate", .integer(now.milliseconds)), ("purchaseDate", .integer(now.milliseconds)),
  ])
  static let token = chain.sign(payload)
  static let notification = chain.sign(
    .members([
      ("notificationType", .string("ONE_TIME_CHARGE")), ("signedDate", .integer(now.milliseconds)),
      (
        "data",
        .members([
          ("bundleId", .string("com.example.app")), ("environment", .string("Sandbox")),
          ("signedTransactionInfo", .string(token)),
        ])
      ),
    ]))

  private struct NoSuchFile: Error {}

  /// Runs the command on files in memory.
  private func run(
    _ arguments: String..., files: [String: [UInt8]] = [:]
  ) throws -> (code: Int32, lines: [JSONValue], errors: String) {
    var output = ""
    var errors = ""
    let code = VerifyCommand.run(
      arguments: arguments,
      platform: VerifyCommand.Platform(
        now: Self.now,
        readFile: { name in
          guard let bytes = files[name] else { throw NoSuchFile() }
          return bytes
        }, print: { output += $0 }, printError: { errors += $0 }))
    let lines = output.hasPrefix("usage") ? [] : output.split(separator: "\n")
    return (code, try lines.map { try JSONReader.read($0.utf8) }, errors)
  }

  private var root: [String: [UInt8]] { ["root.der": Self.authority.root.der] }

  @Test(arguments: [
    [], ["--unknown", "f"], ["--bundle-id"], ["--root"], ["--environment", "mars", "f"],
    ["--app-apple-id", "abc", "--bundle-id", "b", "f"],
    ["--app-apple-id", "5", "f"], ["--environment"], ["--root", "absent.der", "f"], ["--root", "f", "f"],
  ]) func `answers wrong usage with 2 and says what is wrong`(_ arguments: [String]) throws {
    var errors = ""
    let code = VerifyCommand.run(
      arguments: arguments,
      platform: VerifyCommand.Platform(
        now: Self.now, readFile: { name in if name == "f" { return [0x30, 0] } else { throw NoSuchFile() } },
        print: { _ in Issue.record("nothing is printed") }, printError: { errors += $0 }))
    #expect(code == 2 && errors.hasPrefix("counterfoil verify: "))
  }

  @Test func `answers an unreadable file with 2 and goes on with the others`() throws {
    let files = root.merging([
      "good.jws": Array(Self.token.utf8), "huge": [UInt8](repeating: 0x41, count: 16 << 20 + 1),
    ]) { $1 }
    let result = try run("--root", "root.der", "absent", "huge", "good.jws", files: files)
    #expect(result.code == 2)
    #expect(result.errors.contains("absent cannot be read") && result.errors.contains("huge is larger"))
    #expect(result.lines.count == 1 && result.lines[0]["valid"]?.bool == true)
  }

  @Test(arguments: [
    ("", "unknown", "invalidFormat"), ("   \n", "unknown", "invalidFormat"), ("hello", "unknown", "invalidFormat"),
    ("a.b.c", "unknown", "invalidFormat"), ("{}", "unknown", "invalidFormat"),
    (#"{"x":1}"#, "unknown", "invalidFormat"),
    ("{", "unknown", "invalidFormat"), ("MIIT6gYJ", "appReceipt", "receipt_malformed"),
    ("MIAGCSqG", "appReceipt", "receipt_malformed"),
    ("ewoJInNp", "transactionReceipt", "receipt_malformed"),
    (#"{"receipt-data":"MIIT"}"#, "appReceipt", "receipt_malformed"),
  ]) func `calls unverifiable data invalid, by a named check`(_ text: String, _ kind: String, _ code: String) throws {
    let result = try run("f", files: ["f": Array(text.utf8)])
    #expect(result.code == 1 && result.lines.count == 1)
    let line = try #require(result.lines.first)
    #expect(line["kind"]?.string == kind && line["failedCheck"]?.string == code && line["valid"]?.bool == false)
    #expect(line["checks"]?.array?.contains { $0["passed"]?.bool == false } == true)
  }

  @Test func `calls a token under an unknown root invalid, and shows what it claims`() throws {
    let result = try run("f", files: ["f": Array(Self.token.utf8)])
    #expect(result.code == 1 && result.errors.isEmpty)
    let line = result.lines[0]
    #expect(line["file"]?.string == "f" && line["kind"]?.string == "transaction")
    #expect(line["failedCheck"]?.string == "invalidChain")
    #expect(line["facts"]?["transactionId"]?.string == "1")
    let checks = line["checks"]?.array ?? []
    #expect(checks.first { $0["name"]?.string == "anchor" }?["passed"] == .bool(false))
    #expect(checks.first { $0["name"]?.string == "signature" }?["passed"] == .null)
    #expect(checks.allSatisfy { $0["detail"]?.string?.isEmpty == false })
  }

  @Test func `verifies under a root that it is given, in DER or PEM`() throws {
    let pem = Array(PEM.text(label: "CERTIFICATE", bytes: Self.authority.root.der).utf8)
    let files = [
      "f": Array(("\u{FEFF}\n" + Self.token + "\r\n").utf8), "root.der": Self.authority.root.der, "root.pem": pem,
    ]
    for name in ["root.der", "root.pem"] {
      let result = try run("--root", name, "--json", "f", files: files)
      #expect(result.code == 0)
      #expect(result.lines[0]["valid"] == .bool(true) && result.lines[0]["failedCheck"] == .null)
      #expect(result.lines[0]["facts"] == Self.payload)
    }
  }

  @Test func `checks app and environment only when asked`() throws {
    let files = root.merging(["f": Array(Self.token.utf8)]) { $1 }
    for (arguments, code) in [
      (["--bundle-id", "com.example.app", "--app-apple-id", "5", "--environment", "Simulated"], nil),
      (["--bundle-id", "com.example.other"], "invalidAppIdentifier"),
      (["--environment", "production", "--environment", "sandbox"], "invalidEnvironment"),
      ([], nil),
    ] as [([String], String?)] {
      var output = ""
      let exit = VerifyCommand.run(
        arguments: ["--root", "root.der"] + arguments + ["--", "f"],
        platform: VerifyCommand.Platform(
          now: Self.now, readFile: { files[$0] ?? [] }, print: { output += $0 }, printError: { _ in }))
      #expect(exit == (code == nil ? 0 : 1))
      #expect(try JSONReader.read(output.utf8.dropLast())["failedCheck"]?.string == code)
    }
  }

  @Test func `decodes nested signed data in its place, and reports its result`() throws {
    let body = JSONValue.members([("signedPayload", .string(Self.notification))]).bytes
    let result = try run("--root", "root.der", "f", files: root.merging(["f": body]) { $1 })
    #expect(result.code == 0)
    let line = result.lines[0]
    #expect(line["kind"]?.string == "notification" && line["member"]?.string == "signedPayload")
    #expect(line["facts"]?["data"]?["signedTransactionInfo"] == Self.payload)
    #expect(line["facts"]?["data"]?["bundleId"]?.string == "com.example.app")
    #expect(line["checks"]?.array?.last?["name"]?.string == "signedTransactionInfo")
  }

  @Test func `takes several tokens out of one answer of Apple's`() throws {
    let forged = String(Self.token.dropLast(4)) + "AAAA"
    let body = JSONValue.members([("signedTransactions", .array([.string(Self.token), .string(forged)]))]).bytes
    let result = try run("--root", "root.der", "f", files: root.merging(["f": body]) { $1 })
    #expect(result.code == 1)
    #expect(result.lines.map { $0["valid"]?.bool } == [true, false])
    #expect(result.lines.map { $0["member"]?.string } == ["signedTransactions[0]", "signedTransactions[1]"])
    #expect(result.lines[1]["failedCheck"]?.string == "invalidSignature")
  }

  @Test func `takes data of Xcode only when that is listed`() throws {
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 9, count: 32))
    let token = SigningChain(leafKey: key, certificates: []).sign(
      .members([("bundleId", .string("b")), ("environment", .string("Xcode")), ("transactionId", .string("0"))]))
    let files = ["f": Array(token.utf8)]
    #expect(try run("f", files: files).lines[0]["failedCheck"]?.string == "invalidChainLength")
    #expect(try run("--environment", "xcode", "f", files: files).code == 0)
  }

  @Test func `prints its usage`() throws {
    var output = ""
    let code = VerifyCommand.run(
      arguments: ["--help"],
      platform: VerifyCommand.Platform(
        now: Self.now, readFile: { _ in [] }, print: { output += $0 }, printError: { _ in Issue.record("no error") }))
    #expect(code == 0 && output.contains("Exit codes: 0 all valid, 1 some invalid, 2 unreadable input"))
  }

  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/fixtures/apple-jws")

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: fixtures.path()),
      "../shared/fixtures is absent: no genuine signed data on this machine"))
  func `finds every genuine file valid and every edited one invalid`() throws {
    for (folder, code) in [("genuine", Int32(0)), ("invalid", 1)] {
      let names = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.appending(path: folder).path())
        .filter { $0.hasSuffix(".jws") }
      #expect(names.count >= 2)
      for name in names {
        var output = ""
        let file = Self.fixtures.appending(path: folder).appending(path: name)
        let exit = VerifyCommand.run(
          arguments: [name],
          platform: VerifyCommand.Platform(
            now: Self.now, readFile: { _ in Array(try Data(contentsOf: file)) }, print: { output += $0 },
            printError: { _ in }))
        #expect(exit == code, "\(name)")
        let line = try JSONReader.read(output.utf8.dropLast())
        #expect(line["failedCheck"]?.string == (code == 0 ? nil : "invalidSignature"))
        if code == 0 { #expect(name.hasPrefix(line["kind"]?.string ?? "?") || name.hasPrefix("renewal")) }
      }
    }
  }
}
