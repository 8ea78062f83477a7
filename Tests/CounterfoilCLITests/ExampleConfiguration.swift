import Cryptography
import Foundation
import PaymentPrimitives
import ServerConfiguration
import SigningAuthorities
import TOMLConfiguration

/// A whole configuration of the examples that the reference gives for its tables, with the example of one key in place.
struct ExampleConfiguration {
  private let profile: String
  /// The lines of each table, by its path, in the order of the file.
  private var tables: [(path: String, lines: [String])]

  /// Keys and tables that cannot stand beside a key: the other half of a choice.
  private static let excluded: [String: [String]] = [
    "app[].product[].entitlement": ["app[].product[].units"], "app[].product[].period": ["app[].product[].units"],
    "app[].wechat_pay.certificate_file": ["app[].wechat_pay.certificate_serial"],
    "app[].wechat_pay.former_key[].certificate_file": ["app[].wechat_pay.former_key[].certificate_serial"],
    "app[].user_token_key[].public_key_file": ["app[].user_token_key[].secret"],
    "console.proxy.keys_url": ["console.proxy.keys_file"],
    "app[].mode": [
      "app[].wechat_pay", "app[].wechat_pay.former_key[]", "app[].wechat_pay.public_key[]", "app[].wechat_pay.appids",
    ],
  ]

  /// - Parameters:
  ///   - key: the key whose example, or the stated line, takes the place of its usual one.
  ///   - absent: a key that is left out.
  init(
    profile: String, with key: ConfigurationKey? = nil, stating line: String? = nil,
    without absent: ConfigurationKey? = nil
  )
    throws
  {
    self.profile = profile
    tables = [("", ["profile = \"\(profile)\""])]
    for table in ConfigurationReference.keys where table.shape.isTable {
      // Every product has units already, in the short form.
      guard table.path != "app[].product[].units" || key?.table == table.path || key?.path == table.path else {
        continue
      }
      tables.append((table.path, table.example.split(separator: "\n").map(String.init)))
    }
    if key?.table == "database" || absent?.table == "database" {
      // The long form of `database`; the server's own backups are of the short one.
      tables.append(("database", [#"url = "postgresql://counterfoil@db.example.com/shop?sslmode=verify-full""#]))
      tables.removeAll { $0.path.hasPrefix("backup") }
    }
    if profile == "simulated" {
      set("host = \"http://127.0.0.1:8081\"", in: "app[].app_store")
      set("hosts = [\"http://127.0.0.1:8081\"]", in: "app[].wechat_pay")
    }
    if let key, key.path != "profile" || line != nil {
      let lines = (line ?? key.example).split(separator: "\n").map(String.init)
      for line in lines { set(line, in: key.exampleTable) }
      if line == nil { for path in Self.excluded[key.path] ?? [] { remove(path) } }
      if key.table == "app[].product[].units" || key.path == "app[].product[].units" {
        removeLine("units", in: "app[].product[]")
      }
    }
    if let absent { remove(absent.path) }
  }

  /// The text of the file.
  var text: String {
    tables.map { ConfigurationKey.header(of: $0.path) + $0.lines.joined(separator: "\n") + "\n" }.joined()
  }

  /// Reads it as a server does.
  func read(noting: ((AskedSetting) -> Void)? = nil) throws -> ServerConfiguration {
    try Self.read(text, noting: noting)
  }

  /// Reads a text as a server does, with the files of the examples.
  static func read(_ text: String, noting: ((AskedSetting) -> Void)? = nil) throws -> ServerConfiguration {
    try ServerConfiguration.read(
      Array(text.utf8), named: "example.toml", in: "/etc/counterfoil/", layers: SettingLayers(),
      secrets: SecretSources(
        readFile: { path, _ in
          guard let bytes = ExampleFiles.all[path] else { throw CocoaError(.fileNoSuchFile) }
          return bytes
        }, environment: { _ in nil }), now: { ConfigCommandRun.now }, refusingDoubts: true, noting: noting)
  }

  /// The words of everything that a server makes of it, except the text itself.
  func effect() throws -> [String] {
    var configuration = try read()
    configuration.file = .none
    return Words.of(configuration)
  }

  // MARK: lines

  private mutating func set(_ line: String, in table: String) {
    guard let index = tables.firstIndex(where: { $0.path == table }) else { return }
    let name = Self.name(of: line)
    if let place = tables[index].lines.firstIndex(where: { Self.name(of: $0) == name }) {
      tables[index].lines[place] = line
    } else {
      tables[index].lines.append(line)
    }
  }

  private mutating func remove(_ path: String) {
    tables.removeAll { $0.path == path }
    let table = path.lastIndex(of: ".").map { String(path[..<$0]) } ?? ""
    removeLine(String(path.split(separator: ".").last ?? ""), in: table)
  }

  private mutating func removeLine(_ name: String, in table: String) {
    guard let index = tables.firstIndex(where: { $0.path == table }) else { return }
    tables[index].lines.removeAll { Self.name(of: $0) == name }
  }

  private static func name(of line: String) -> String { String(line.prefix { $0 != " " }) }
}

/// The words of a value that cannot be compared otherwise.
enum Words {
  static func of(_ value: some Any) -> [String] {
    // Handles of OpenSSL are addresses of this process, and dictionaries have no order.
    let text = String(reflecting: value).replacing(/0x[0-9a-f]+/, with: "0x")
    return text.split { !$0.isLetter && !$0.isNumber && $0 != "." }.map(String.init).sorted()
  }
}

/// The files that the examples name. Their keys protect nothing.
enum ExampleFiles {
  static let merchantKey = RSAPrivateKey(randomBytes: Array("a merchant key made for tests: examples".utf8))
  static let formerKey = RSAPrivateKey(randomBytes: Array("a former merchant key for tests: examples".utf8))
  static let platformKey = RSAPrivateKey(randomBytes: Array("a platform key made for tests: examples".utf8))
  static let appleKey = ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 9, count: 48))
  static let serverKey = ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 11, count: 48))

  static let all: [String: [UInt8]] = [
    "chain.pem": certificate(of: serverKey), "key.pem": pem(serverKey),
    "simulator-root.pem": certificate(of: appleKey),
    "apiclient_cert.pem": merchantCertificate(of: merchantKey),
    "apiclient_cert_former.pem": merchantCertificate(of: formerKey),
    "apiclient_key.pem": pem(merchantKey), "apiclient_key_former.pem": pem(formerKey),
    "wechat-pay-public.pem": pem("PUBLIC KEY", platformKey.publicKey.spki),
    "api-v3.key": Array("an APIv3 key made for tests 32 b".utf8),
    "SubscriptionKey_2X9R4HXF34.p8": pem(appleKey), "SubscriptionKey_9K3B7QWE12.p8": pem(serverKey),
    "jwks.json": keySet(appleKey.publicKey),
    "database.secret": Array("correct horse".utf8),
    "collector.secret": Array("Basic made-for-tests".utf8),
    "shared.secret": Array("0123456789abcdef0123456789abcdef".utf8),
    "user-token.secret": Array(repeating: 0x61, count: 64),
    "user-token-public.pem": pem("PUBLIC KEY", appleKey.publicKey.spki),
    "other-webhook.secret": Array(("whsec_" + Base64.encode(Array(repeating: 8, count: 33))).utf8),
    "alerts.url": Array("https://on-call.example.com/counterfoil/sesame".utf8),
    "feishu.url": Array("https://open.feishu.cn/open-apis/bot/v2/hook/sesame".utf8),
    "alerts.secret": Array(("whsec_" + Base64.encode(Array(repeating: 5, count: 32))).utf8),
    "webhook.secret": Array(("whsec_" + Base64.encode(Array(repeating: 7, count: 32))).utf8),
  ]

  /// The public keys of an identity provider.
  static func keySet(_ key: ECDSAPublicKey) -> [UInt8] {
    let (x, y) = (Base64URL.encode(key.point[1...32]), Base64URL.encode(key.point[33...]))
    return Array(#"{"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"\#(x)","y":"\#(y)"}]}"#.utf8)
  }

  static func pem(_ key: ECDSAPrivateKey) -> [UInt8] { pem("PRIVATE KEY", key.pkcs8.withBytes { Array($0) }) }
  static func pem(_ key: RSAPrivateKey) -> [UInt8] { pem("PRIVATE KEY", key.pkcs8.withBytes { Array($0) }) }
  static func pem(_ label: String, _ der: [UInt8]) -> [UInt8] { Array(PEM.text(label: label, bytes: der).utf8) }
}

extension ExampleFiles {
  /// A certificate that was valid for a year around the moment of the tests.
  static func builder(serial: UInt8 = 1) -> X509CertificateBuilder {
    X509CertificateBuilder(
      subject: X509NameParts(commonName: "shop.example.com"), serialNumber: [serial],
      notBefore: ConfigCommandRun.now - .days(180), notAfter: ConfigCommandRun.now + .days(180))
  }

  /// - Parameter days: its validity, counted from the moment of the tests.
  static func certificate(of key: ECDSAPrivateKey, in days: ClosedRange<Int64> = -180...180) -> [UInt8] {
    var builder = builder()
    builder.notBefore = ConfigCommandRun.now + .days(days.lowerBound)
    builder.notAfter = ConfigCommandRun.now + .days(days.upperBound)
    return pem("CERTIFICATE", builder.selfSigned(by: key).der)
  }

  static func merchantCertificate(of key: RSAPrivateKey) -> [UInt8] {
    pem("CERTIFICATE", builder(serial: 2).selfSigned(by: key).der)
  }
}
