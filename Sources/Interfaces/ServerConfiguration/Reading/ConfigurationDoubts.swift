import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import TOMLConfiguration
import WeChatPayProtocol

/// Values of a configuration that can be read but cannot work.
///
/// `config` and `doctor` reject them. A start does not: a server that has run with this configuration continues, and
/// warns.
final class ConfigurationDoubts {
  private let isRefused: Bool
  /// The problems found, for the log; empty if they were rejected.
  private(set) var found: [String] = []

  init(areRefused: Bool) { isRefused = areRefused }

  func note(_ table: ConfigurationTable, _ key: String, code: ConfigurationErrorCode, details: String) {
    guard !isRefused else { return table.refuse(key, code, details: details) }
    let place = table.path.isEmpty ? key : table.path + "." + key
    found.append("\(place): \(code.meaning.english) \(details)")
  }

  // MARK: The listening address

  /// User ids, tokens and evidence must not cross a network unencrypted.
  func check(_ root: ConfigurationTable, _ listen: ListenSettings, profile: DatabaseProfile) {
    let isThisMachine = listen.address == "::1" || listen.address.hasPrefix("127.")
    if NetworkAddress(listen.address) == nil {
      note(
        root, "address", code: .cannotWork,
        details: "\(listen.address) is no IP address: write 127.0.0.1, 0.0.0.0 or ::, or an address of this machine.")
      return
    }
    guard profile == .production, !isThisMachine, listen.certificate == nil, !root.keys.contains("trusted_proxies")
    else { return }
    note(
      root, "address", code: .cannotWork,
      details:
        "It listens on \(listen.address) without TLS: set [tls], listen on 127.0.0.1 behind a proxy with TLS, or name "
        + "that proxy in trusted_proxies.")
  }

  /// Checks the files of `[tls]`; otherwise only the listening server opens them.
  func check(
    _ tls: ConfigurationTable, chain: String, key: String, at now: Timestamp, _ sources: SecretSources
  ) {
    var own: X509Certificate?
    do {
      let certificates = try X509Certificate.certificates(
        inFile: try sources.readFile(chain, SecretReference.bytesMax))
      own = certificates.first
      if let own, own.notAfter < now {
        note(
          tls, "certificate", code: .cannotWork,
          details: "\(chain): it was valid until \(own.notAfter.iso8601). Install a new certificate.")
      }
      if let own, own.notBefore > now {
        note(
          tls, "certificate", code: .cannotWork,
          details: "\(chain): it is valid from \(own.notBefore.iso8601). Check the clock of this machine.")
      }
    } catch { note(tls, "certificate", code: .cannotWork, details: "\(chain): \(error)") }
    do {
      let bytes = try sources.readFile(key, SecretReference.bytesMax)
      guard String(decoding: bytes, as: UTF8.self).contains("PRIVATE KEY-----") else {
        return note(tls, "key", code: .cannotWork, details: "\(key): it holds no private key in PEM form.")
      }
      guard let own, let isPair = Self.isPair(own, Secret(bytes)), !isPair else { return }
      note(
        tls, "key", code: .cannotWork,
        details: "\(key) is not the key of the certificate in \(chain): install both from one issue.")
    } catch { note(tls, "key", code: .cannotWork, details: "\(key): \(error)") }
  }

  /// Whether a certificate is that of a private key; nil for kinds of keys that are not read here. OpenSSL, which
  /// serves them, compares them again.
  private static func isPair(_ certificate: X509Certificate, _ file: Secret) -> Bool? {
    if let key = certificate.publicKey, let own = try? ECDSAPrivateKey(file: file) { return own.publicKey == key }
    if let key = certificate.rsaPublicKey, let own = try? RSAPrivateKey(file: file) { return own.publicKey == key }
    let isOtherKind = (try? ECDSAPrivateKey(file: file)) != nil || (try? RSAPrivateKey(file: file)) != nil
    return isOtherKind && (certificate.publicKey != nil || certificate.rsaPublicKey != nil) ? false : nil
  }

  // MARK: Identifiers

  /// WeChat's ids of apps begin with wx, merchant numbers are digits: the two are easily swapped.
  func check(_ table: ConfigurationTable, appids: [TradeType: String], appid: String?) {
    for id in Set(appids.values).union(appid.map { [$0] } ?? []).sorted() where !Self.isWeChatApp(id) {
      note(
        table, id == appid ? "appid" : "appids", code: .cannotWork,
        details:
          "\(id) is no app id of WeChat's, which is wx and 16 letters and digits. A merchant number belongs to mchid.")
    }
  }

  private static func isWeChatApp(_ id: String) -> Bool {
    id.hasPrefix("wx") && id.utf8.count == 18 && id.utf8.allSatisfy(Self.isLetterOrDigit)
  }

  /// Apple's bundle ids have letters, digits, hyphens and points. One without a point is something else, such as a
  /// number.
  func check(_ table: ConfigurationTable, bundleId: String?) {
    guard let bundleId else { return }
    let parts = bundleId.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    let isShaped =
      parts.count > 1
      && parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy { Self.isLetterOrDigit($0) || $0 == 0x2D }
      }
    guard !isShaped else { return }
    note(
      table, "bundle_id", code: .cannotWork,
      details:
        "\(bundleId) has not the form of a bundle id, such as com.example.shop. A number belongs to app_apple_id.")
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  // MARK: The receivers

  /// Checks the address of a backend, of an earlier system, or of a collector.
  func check(
    _ table: ConfigurationTable, url: String, at key: String = "url", mayBeInside: Bool, _ profile: DatabaseProfile
  ) {
    guard let address = ReceiverAddress(url) else {
      return note(table, key, code: .cannotWork, details: "It names no host.")
    }
    if address.isInside, !mayBeInside {
      note(
        table, key, code: .cannotWork,
        details: "It leads into the inner network, where nothing is sent without leave: set may_be_inside = true.")
    } else if profile == .production, !address.isEncrypted, !address.isInside {
      note(table, key, code: .cannotWork, details: "It leads out of this machine over plain HTTP: write https://.")
    }
  }

  // MARK: Placeholders

  /// Checks that a value is not the placeholder from the template of `counterfoil init`.
  func check(
    _ table: ConfigurationTable, _ key: String, value: String?, isPlaceholder placeholders: [String],
    profile: DatabaseProfile
  ) {
    guard profile == .production, let value, placeholders.contains(value) else { return }
    note(table, key, code: .placeholder, details: "\(value) stands in the template.")
  }

  /// Checks that the product ids are not those of the template.
  func check(_ table: ConfigurationTable, _ catalog: Catalog?, profile: DatabaseProfile) {
    guard profile == .production else { return }
    for product in catalog?.products ?? [] {
      for id in product.appStoreProducts where id.text.hasPrefix(ConfigurationTemplate.bundleId + ".") {
        note(table, "product", code: .placeholder, details: "\(id) of \(product.id) stands in the template.")
      }
    }
  }
}
