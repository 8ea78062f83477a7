package import Cryptography
package import StrictJSON
import WeChatPayProtocol

/// A merchant as WeChat Pay's merchant platform knows it.
package struct SimulatedMerchant: Hashable, Sendable {
  /// An API certificate: it verifies a merchant's requests.
  package struct Certificate: Hashable, Sendable {
    /// The serial number, upper case hexadecimal.
    package let serial: String
    package let key: RSAPublicKey

    /// A certificate from its serial number and key: WeChat Pay uses only these.
    ///
    /// - Returns: nil when the serial number is not hexadecimal.
    package init?(serial: String, key: RSAPublicKey) {
      guard let number = CertificateSerial(serial) else { return nil }
      self.serial = number.text
      self.key = key
    }

    /// A certificate from its complete form.
    ///
    /// - Returns: nil when it holds no RSA key.
    package init?(_ certificate: X509Certificate) {
      guard let key = certificate.rsaPublicKey else { return nil }
      self.init(serial: CertificateSerial(of: certificate).text, key: key)
    }
  }

  package let mchid: String
  /// The API certificates; several are valid while the merchant changes from one to the next.
  package var certificates: [Certificate]
  /// The merchant's APIv3 key as text; made for tests. Nil: none is set, so no notification is sent.
  package var testAPIv3Key: String?
  /// The app ids that are bound to the merchant.
  package var appids: [String]
  /// Whether the merchant number is active.
  package var isActive: Bool
  /// Whether the merchant may request refunds.
  package var mayRefund: Bool
  /// Replaces scheme and host of `notify_url`: for example `http://127.0.0.1:8080` for a server on the same machine,
  /// when the simulator cannot reach its public name. Nil: `notify_url` is used unchanged.
  package var notificationOrigin: String?
  /// The kinds of keys that this merchant gets; nil: as the platform has it.
  package var keyMode: PlatformKeyPolicy.Mode?
  /// Whether its last order named the platform public key. A merchant that never switched gets certificates in its
  /// notifications too.
  package internal(set) var usesPublicKey = true
  /// Where the ends of refunds are told that name no `notify_url`: the address set in the merchant platform.
  package var refundNotifyURL: String?

  /// An active merchant with all permissions.
  package init(mchid: String, certificates: [Certificate], testAPIv3Key: String?, appids: [String]) {
    self.mchid = mchid
    self.certificates = certificates
    self.testAPIv3Key = testAPIv3Key
    self.appids = appids
    isActive = true
    mayRefund = true
  }

  /// The certificate with a serial number.
  func certificate(_ serial: CertificateSerial) -> Certificate? {
    certificates.first { CertificateSerial($0.serial) == serial }
  }

  func notificationTarget(_ url: String) -> String {
    guard let notificationOrigin else { return url }
    let path = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return path.count > 3 ? "\(notificationOrigin)/\(path[3])" : notificationOrigin + "/"
  }

  /// The key that encrypts the merchant's notifications.
  var apiV3Key: APIv3Key? { testAPIv3Key.flatMap { try? APIv3Key(Secret($0.utf8)) } }
}

extension SimulatedMerchant {
  /// Reads a merchant, from the log or from the control API.
  init(_ fields: JSONFields) throws(JSONFieldError) {
    mchid = try fields.converted("mchid", "1 to 32 digits") { Forms.mchid($0) }
    var certificates: [Certificate] = []
    let most = WeChatPaySimulatorLimits.merchantCertificatesMax
    for item in try fields.array("certificates", countMax: most) {
      certificates.append(try Certificate(JSONFields(item, path: "certificates")))
    }
    self.certificates = certificates
    testAPIv3Key = try fields.optionallyConverted("testAPIv3Key", "a text of 32 bytes") {
      $0.utf8.count == 32 ? $0 : nil
    }
    appids = try fields.strings("appids", countMax: WeChatPaySimulatorLimits.appidsMax, bytesMax: 32)
    isActive = try fields.optionalBool("isActive") ?? true
    mayRefund = try fields.optionalBool("mayRefund") ?? true
    notificationOrigin = try fields.optionallyConverted("notificationOrigin", "scheme and host without a path") {
      WeChatPayHost($0)?.origin
    }
    keyMode = try fields.optionallyConverted("keyMode", "the name of a mode", PlatformKeyPolicy.Mode.init(rawValue:))
    usesPublicKey = try fields.optionalBool("usesPublicKey") ?? true
    refundNotifyURL = try fields.optionalString("refundNotifyURL", bytesMax: 256)
  }

  /// The merchant as the log writes it.
  var logJSON: JSONValue {
    .members((json.object ?? []).map { ($0.name, $0.value) } + [("testAPIv3Key", testAPIv3Key.map { .string($0) })])
  }

  /// The merchant as the control API shows it: without the APIv3 key.
  package var json: JSONValue {
    .members([
      ("mchid", .string(mchid)),
      (
        "certificates",
        .array(
          certificates.map { certificate in
            let pem = PEM.text(label: "PUBLIC KEY", bytes: certificate.key.spki)
            return .members([("serial", .string(certificate.serial)), ("publicKey", .string(pem))])
          })
      ), ("appids", .array(appids.map { .string($0) })), ("isActive", .bool(isActive)), ("mayRefund", .bool(mayRefund)),
      ("notificationOrigin", notificationOrigin.map { .string($0) }),
      ("keyMode", keyMode.map { .string($0.rawValue) }), ("usesPublicKey", usesPublicKey ? nil : .bool(false)),
      ("refundNotifyURL", refundNotifyURL.map { .string($0) }),
    ])
  }
}

extension SimulatedMerchant.Certificate {
  /// Either `certificate` (PEM), or `serial` and `publicKey` (PEM).
  fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
    if let pem = try fields.optionalString("certificate", bytesMax: 16 << 10) {
      guard let certificate = (try? X509Certificate.certificates(inPEM: Array(pem.utf8)))?.first,
        let read = Self(certificate)
      else { throw JSONFieldError(path: "certificates.certificate", expected: "a certificate of an RSA key in PEM") }
      self = read
      return
    }
    let key = try fields.optionalString("publicKey", bytesMax: 16 << 10).flatMap {
      try? RSAPublicKey(file: Array($0.utf8))
    }
    guard let key else { throw JSONFieldError(path: "certificates.publicKey", expected: "an RSA key in PEM") }
    let serial = try fields.string("serial", bytesMax: 64)
    guard let read = Self(serial: serial, key: key) else {
      throw JSONFieldError(path: "certificates.serial", expected: "hexadecimal digits")
    }
    self = read
  }
}

/// The formats of names and numbers.
enum Forms {
  static func mchid(_ text: String) -> String? {
    (1...32).contains(text.utf8.count) && text.utf8.allSatisfy(isDigit) ? text : nil
  }

  /// Letters, digits and `_-|*`, and for refunds `@`.
  static func number(_ text: String, _ lengths: ClosedRange<Int>, others: String = "_-|*") -> Bool {
    lengths.contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || others.utf8.contains(byte)
      }
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
