import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import TOMLConfiguration

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
    do {
      let certificates = try X509Certificate.certificates(
        inFile: try sources.readFile(chain, SecretReference.bytesMax))
      if let own = certificates.first, own.notAfter < now {
        note(tls, "certificate", code: .cannotWork, details: "\(chain): it was valid until \(own.notAfter.iso8601).")
      }
    } catch { note(tls, "certificate", code: .cannotWork, details: "\(chain): \(error)") }
    do {
      let bytes = try sources.readFile(key, SecretReference.bytesMax)
      if !String(decoding: bytes, as: UTF8.self).contains("PRIVATE KEY-----") {
        note(tls, "key", code: .cannotWork, details: "\(key): it holds no private key in PEM form.")
      }
    } catch { note(tls, "key", code: .cannotWork, details: "\(key): \(error)") }
  }

  // MARK: The receivers

  /// Checks the address of a backend, or of an earlier system.
  func check(_ table: ConfigurationTable, url: String, mayBeInside: Bool, _ profile: DatabaseProfile) {
    guard let address = ReceiverAddress(url) else {
      return note(table, "url", code: .cannotWork, details: "It names no host.")
    }
    if address.isInside, !mayBeInside {
      note(
        table, "url", code: .cannotWork,
        details: "It leads into the inner network, where nothing is sent without leave: set may_be_inside = true.")
    } else if profile == .production, !address.isEncrypted, !address.isInside {
      note(table, "url", code: .cannotWork, details: "It leads out of this machine over plain HTTP: write https://.")
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
