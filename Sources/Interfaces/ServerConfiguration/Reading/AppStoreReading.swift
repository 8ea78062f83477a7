import AppStoreIntegration
import AppStoreProtocol
import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import TOMLConfiguration

/// Reads the `[app.app_store]` table of an app: the In-App Purchase key, the hosts of Apple's servers, and whether
/// `verifyReceipt` may be used. Without a key it can configure only `verifyReceipt`.
struct AppStoreReading {
  let reading: ConfigurationReading
  let table: ConfigurationTable
  let profile: DatabaseProfile

  init(_ reading: ConfigurationReading, _ table: ConfigurationTable, profile: DatabaseProfile) {
    self.reading = reading
    self.table = table
    self.profile = profile
  }

  /// The access to the App Store Server API, and to `verifyReceipt`. Each is nil if it is not configured, or if its
  /// values are wrong; the table has then noted the problem.
  func settings(bundleId: String?) -> (api: AppStoreServerAccess?, receipts: VerifyReceiptSettings?) {
    let isReleased = table.value("released", .bool, default: true)
    let hosts = hosts()
    let receipts = verifyReceipt(hosts)
    let userOffers = table.optional("user_offers", .list(of: .string(bytes: 1...255))) ?? []
    let consumption = consumption()
    let former = formerKeys(bundleId)
    let hasKey = ["issuer_id", "key_id", "private_key", "former_key"].contains { table.keys.contains($0) }
    guard hasKey || receipts == nil else {
      if bundleId == nil {
        table.refuse(
          "verify_receipt", .contradiction, details: "Receipts are of one app: name its bundle_id in [[app]].")
      }
      return (nil, receipts)
    }
    guard let credentials = credentials(bundleId), let hosts else { return (nil, receipts) }
    guard former.count == table.tableCount("former_key") else { return (nil, receipts) }
    var settings = AppStoreServerAccess(credentials: credentials)
    settings.formerCredentials = former
    settings.hosts = hosts
    settings.isReleased = isReleased
    settings.userOffers = Set(userOffers)
    settings.consumption = consumption
    return (settings, receipts)
  }

  /// The answers to Apple's consumption requests; always only for users who consented.
  private func consumption() -> ConsumptionPolicy? {
    let isAnswered = table.value("answer_consumption_requests", .bool, default: true)
    let preference: ConsumptionPolicy.Preference = table.value("refund_preference", .word, default: .none)
    let hasSamples = table.value("sample_content_provided", .bool, default: false)
    return isAnswered ? ConsumptionPolicy(preference: preference, sampleContentProvided: hasSamples) : nil
  }

  // MARK: The key

  private func credentials(_ bundleId: String?) -> AppStoreServerCredentials? {
    let issuerId = table.required("issuer_id", .string(bytes: 1...64))
    reading.doubts.check(
      table, "issuer_id", value: issuerId, isPlaceholder: [ConfigurationTemplate.issuerId], profile: profile)
    let key = key(in: table)
    guard let bundleId else {
      table.refuse("issuer_id", .contradiction, details: "The key speaks for one app: name its bundle_id in [[app]].")
      return nil
    }
    guard let issuerId, let key else { return nil }
    return credentials(issuerId, key, bundleId: bundleId, in: table)
  }

  /// More are not needed: Apple allows few keys, and each is tried on a refusal.
  private static let formerKeysMax = 4

  /// The earlier keys, the newest first; shorter than its tables if one of them is wrong.
  private func formerKeys(_ bundleId: String?) -> [AppStoreServerCredentials] {
    let tables = table.tables("former_key")
    let keys = tables.map { (table: $0, key: key(in: $0)) }
    guard tables.count <= Self.formerKeysMax else {
      table.refuse(
        "former_key", .outOfRange, details: "There are \(tables.count); at most \(Self.formerKeysMax) are tried.")
      return []
    }
    guard let bundleId, let issuerId = table.optional("issuer_id", .string(bytes: 1...64)) else { return [] }
    return keys.compactMap { former in
      former.key.flatMap { credentials(issuerId, $0, bundleId: bundleId, in: former.table) }
    }
  }

  /// A key with its id, from the table of either.
  private func key(in table: ConfigurationTable) -> (id: String, key: ECDSAPrivateKey)? {
    let id = table.required("key_id", .string(bytes: 1...64))
    reading.doubts.check(table, "key_id", value: id, isPlaceholder: [ConfigurationTemplate.keyId], profile: profile)
    let key = reading.secret(table, "private_key").flatMap { privateKey($0, in: table) }
    guard let id, let key else { return nil }
    return (id, key)
  }

  private func credentials(
    _ issuerId: String, _ key: (id: String, key: ECDSAPrivateKey), bundleId: String, in table: ConfigurationTable
  ) -> AppStoreServerCredentials? {
    do throws(CodedError<AppStoreKeyErrorCode>) {
      return try AppStoreServerCredentials(
        issuerId: issuerId, keyId: key.id, bundleId: bundleId, privateKey: key.key)
    } catch {
      let place =
        switch error.code {
        case .issuerId: "issuer_id"
        case .keyId: "key_id"
        case .keyCurve: "private_key"
        }
      table.refuse(place, .malformed, details: "\(error.code.meaning.english) \(error.code.remedy.english)")
      return nil
    }
  }

  private func privateKey(_ file: Secret, in table: ConfigurationTable) -> ECDSAPrivateKey? {
    do throws(CodedError<CryptographyErrorCode>) { return try ECDSAPrivateKey(file: file) } catch {
      table.refuse(
        "private_key", .malformed,
        details: "\(error.code.meaning.english) It must be the SubscriptionKey_….p8 of an In-App Purchase key. "
          + error.details)
      return nil
    }
  }

  // MARK: Receipts

  /// When `verifyReceipt` is used.
  private enum Use: String, CaseIterable {
    case never
    /// If there is no key for the App Store Server API, or the API does not know the transaction.
    case lastResort
  }

  private func verifyReceipt(_ hosts: AppStoreServerHosts?) -> VerifyReceiptSettings? {
    let isAllowed = table.value("verify_receipt", .word, default: Use.never) == .lastResort
    guard table.keys.contains("shared_secret") else {
      return isAllowed ? receiptSettings(nil, hosts) : nil
    }
    guard let secret = reading.secret(table, "shared_secret") else { return nil }
    let isHexadecimal = secret.withBytes { bytes in
      bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || (0x41...0x46).contains($0) }
    }
    guard secret.count == 32, isHexadecimal else {
      table.refuse("shared_secret", .malformed, details: "It is 32 hexadecimal digits, from App Store Connect.")
      return nil
    }
    guard isAllowed else {
      table.refuse("shared_secret", .contradiction, details: "It is used only with verify_receipt = \"lastResort\".")
      return nil
    }
    return receiptSettings(secret, hosts)
  }

  /// A simulator answers everything at one address.
  private func receiptSettings(_ secret: Secret?, _ hosts: AppStoreServerHosts?) -> VerifyReceiptSettings {
    var settings = VerifyReceiptSettings(sharedSecret: secret)
    if profile == .simulated, let hosts { settings.hosts = hosts }
    return settings
  }

  // MARK: Hosts

  private func hosts() -> AppStoreServerHosts? {
    let form = SettingForm<String>.string(bytes: 8...255)
      .mapped("https:// or http://, a host and perhaps a port, and nothing else") { AppStoreServerHost($0) }
    let host = table.optional("host", form)
    let sandbox = table.optional("sandbox_host", form)
    guard profile != .production else { return productionHosts(host, sandbox) }
    guard let host else {
      if !table.keys.contains("host") {
        table.refuse("host", .missingKey, details: "A simulated profile asks a simulator: name its address.")
      }
      return nil
    }
    guard !host.isGenuine, sandbox?.isGenuine != true else {
      table.refuse("host", .contradiction, details: "A simulated profile asks no host of Apple's.")
      return nil
    }
    return AppStoreServerHosts(production: host, sandbox: sandbox ?? host)
  }

  private func productionHosts(_ host: AppStoreServerHost?, _ sandbox: AppStoreServerHost?) -> AppStoreServerHosts? {
    let hosts = AppStoreServerHosts(production: host ?? .production, sandbox: sandbox ?? .sandbox)
    guard hosts.areGenuine else {
      table.refuse(
        host == nil ? "sandbox_host" : "host", .contradiction,
        details: "A production profile asks Apple's own hosts alone.")
      return nil
    }
    return hosts
  }
}
