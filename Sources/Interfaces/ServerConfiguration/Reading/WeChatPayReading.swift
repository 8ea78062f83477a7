import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import TOMLConfiguration
import WeChatPayIntegration
import WeChatPayProtocol

/// Reads the `[app.wechat_pay]` table of an app: the merchant, its keys, the platform's keys.
struct WeChatPayReading {
  let reading: ConfigurationReading
  let table: ConfigurationTable
  let profile: DatabaseProfile

  init(_ reading: ConfigurationReading, _ table: ConfigurationTable, profile: DatabaseProfile) {
    self.reading = reading
    self.table = table
    self.profile = profile
  }

  func settings() -> WeChatPayAccess? {
    let merchant = merchant()
    let publicKeys = table.tables("public_key").compactMap { publicKey($0) }
    let wish: CertificateWord? = table.optional("platform_certificates", .word)
    let appid = table.optional("appid", .string(bytes: 1...32))
    let appids = appids(otherwise: appid)
    reading.doubts.check(table, appids: appids, appid: appid)
    reading.doubts.check(table, "appid", value: appid, isPlaceholder: [ConfigurationTemplate.appid], profile: profile)
    let origin = table.required(
      "notify_origin", .string(bytes: 8...200).mapped("https:// and a host without a path") { Self.origin($0) })
    let hosts = hosts()
    let lifetime = table.value("order_lifetime", .duration(in: .minutes(2) ... .days(7)), default: .hours(2))
    let sellsOnIOS = table.value("virtual_goods_on_ios", .bool, default: false)
    guard let merchant, let origin, let hosts else { return nil }
    guard !appids.isEmpty else {
      table.refuse("appid", .missingKey, details: "The app id of at least one cashier is needed.")
      return nil
    }
    var keyRing = PlatformKeyRing(merchantKey: merchant.credentials.privateKey.publicKey)
    for (place, key, identifier) in publicKeys { add(key, identifier, to: &keyRing, table: place) }
    var settings = WeChatPayAccess(
      merchant: merchant.credentials, platformKeys: keyRing, appids: appids, notifyOrigin: origin)
    settings.formerAPIv3Keys = merchant.formerAPIv3Keys
    settings.formerMerchants = merchant.formerMerchants
    // A merchant with a platform public key needs no certificates; a merchant that is migrating configures both.
    settings.downloadsCertificates = (wish ?? (publicKeys.isEmpty ? .download : .none)) == .download
    settings.hosts = hosts
    settings.orderLifetime = lifetime
    settings.sellsVirtualGoodsOnIOS = sellsOnIOS
    if publicKeys.isEmpty, !settings.downloadsCertificates {
      table.refuse(
        "platform_certificates", .contradiction,
        details: "Without certificates a [[app.wechat_pay.public_key]] is needed: nothing could be verified.")
    }
    return settings
  }

  private enum CertificateWord: String, CaseIterable {
    case download
    case none
  }

  // MARK: The merchant

  private struct Merchant {
    let credentials: MerchantCredentials
    let formerMerchants: [MerchantCredentials]
    let formerAPIv3Keys: [APIv3Key]
  }

  /// More are not needed: a merchant has one certificate, and for some days the one before it.
  private static let formerKeysMax = 4

  private func merchant() -> Merchant? {
    let mchid = table.required("mchid", .string(bytes: 1...32))
    reading.doubts.check(table, "mchid", value: mchid, isPlaceholder: [ConfigurationTemplate.mchid], profile: profile)
    let references = table.required("api_v3_keys", .list(of: .secret)) ?? []
    let apiV3Keys = references.compactMap { reading.resolve($0, table, key: "api_v3_keys") }.compactMap { apiV3Key($0) }
    let key = MerchantKey(self, table)
    let formerTables = table.tables("former_key")
    let formerKeys = formerTables.compactMap { MerchantKey(self, $0) }
    if formerTables.count > Self.formerKeysMax {
      table.refuse(
        "former_key", .outOfRange,
        details: "There are \(formerTables.count); at most \(Self.formerKeysMax) are tried.")
    }
    if references.isEmpty {
      table.refuse("api_v3_keys", .malformed, details: "At least one APIv3 key is needed, the newest first.")
    }
    guard let mchid, let key, apiV3Keys.count == references.count, let newest = apiV3Keys.first else { return nil }
    let former = formerKeys.compactMap { $0.credentials(self, mchid: mchid, apiV3Key: newest) }
    guard let credentials = key.credentials(self, mchid: mchid, apiV3Key: newest), former.count == formerTables.count
    else { return nil }
    return Merchant(
      credentials: credentials, formerMerchants: former, formerAPIv3Keys: Array(apiV3Keys.dropFirst()))
  }

  /// A private key of the merchant, with its certificate or the certificate's serial number.
  private struct MerchantKey {
    let table: ConfigurationTable
    let privateKey: RSAPrivateKey
    let path: String?
    let serial: String?

    init?(_ reading: WeChatPayReading, _ table: ConfigurationTable) {
      self.table = table
      let key = reading.reading.secret(table, "private_key").flatMap { reading.privateKey($0, in: table) }
      path = table.optional("certificate_file", .string(bytes: 1...4096))
      serial = table.optional("certificate_serial", .string(bytes: 1...64))
      let named = ["certificate_file", "certificate_serial"].count { table.keys.contains($0) }
      guard named == 1 else {
        table.refuse(
          "certificate_file", .contradiction, details: "Name certificate_file or certificate_serial, one of the two.")
        return nil
      }
      guard let key else { return nil }
      privateKey = key
    }

    func credentials(_ reading: WeChatPayReading, mchid: String, apiV3Key: APIv3Key) -> MerchantCredentials? {
      do throws(CodedError<MerchantKeyErrorCode>) {
        if let serial {
          return try MerchantCredentials(
            mchid: mchid, certificateSerial: serial, privateKey: privateKey, apiV3Key: apiV3Key)
        }
        guard let path, let certificate = reading.certificate(path, in: table) else { return nil }
        return try MerchantCredentials(
          mchid: mchid, certificate: certificate, privateKey: privateKey, apiV3Key: apiV3Key)
      } catch {
        let key = WeChatPayReading.key(of: error.code)
        // A former key has no number of its own.
        reading.refuse(
          table.path == reading.table.path || key.hasPrefix("certificate") ? key : "private_key", error, in: table)
        return nil
      }
    }
  }

  /// The setting that a credentials error is about.
  private static func key(of code: MerchantKeyErrorCode) -> String {
    switch code {
    case .merchantNumber: "mchid"
    case .certificateSerial: "certificate_serial"
    case .keyPairMismatch: "certificate_file"
    case .apiV3KeyLength: "api_v3_keys"
    case .publicKeyIdentifier, .merchantKeyAsPlatformKey, .doubledPlatformKey, .platformCertificateKey: "public_key"
    }
  }

  private func privateKey(_ file: Secret, in table: ConfigurationTable) -> RSAPrivateKey? {
    do throws(CodedError<CryptographyErrorCode>) { return try RSAPrivateKey(file: file) } catch {
      table.refuse(
        "private_key", .malformed,
        details: "\(error.code.meaning.english) It must be the merchant's apiclient_key.pem. \(error.details)")
      return nil
    }
  }

  private func apiV3Key(_ secret: Secret) -> APIv3Key? {
    do throws(CodedError<MerchantKeyErrorCode>) { return try APIv3Key(secret) } catch {
      refuse("api_v3_keys", error, in: table)
      return nil
    }
  }

  private func certificate(_ path: String, in table: ConfigurationTable) -> X509Certificate? {
    guard let file = reading.file(path, table, key: "certificate_file") else { return nil }
    do {
      guard let first = try X509Certificate.certificates(inFile: file).first else {
        table.refuse("certificate_file", .malformed, details: "\(path) holds no certificate.")
        return nil
      }
      return first
    } catch {
      table.refuse("certificate_file", .malformed, details: "\(path): \(error)")
      return nil
    }
  }

  // MARK: The platform

  private func publicKey(
    _ table: ConfigurationTable
  ) -> (table: ConfigurationTable, key: RSAPublicKey, identifier: String)? {
    let identifier = table.required("id", .string(bytes: 1...64))
    let path = table.required("file", .string(bytes: 1...4096))
    reading.doubts.check(
      table, "id", value: identifier, isPlaceholder: [ConfigurationTemplate.publicKeyId], profile: profile)
    guard let identifier, let path, let bytes = reading.file(path, table, key: "file") else { return nil }
    do { return (table, try RSAPublicKey(file: bytes), identifier) } catch {
      table.refuse("file", .malformed, details: "\(path): \(error)")
      return nil
    }
  }

  private func add(
    _ key: RSAPublicKey, _ identifier: String, to keyRing: inout PlatformKeyRing, table: ConfigurationTable
  ) {
    do throws(CodedError<MerchantKeyErrorCode>) { try keyRing.add(publicKey: key, identifier: identifier) } catch {
      table.refuse(error.code == .merchantKeyAsPlatformKey ? "file" : "id", .contradiction, details: Self.words(error))
    }
  }

  private func hosts() -> [WeChatPayHost]? {
    let named = table.optional("hosts", .list(of: .string(bytes: 8...255)))
    guard let named else {
      if profile == .simulated {
        table.refuse("hosts", .missingKey, details: "A simulated profile asks a simulator: name its address.")
        return nil
      }
      return WeChatPayHost.mainland
    }
    let hosts = named.compactMap { WeChatPayHost($0) }
    guard hosts.count == named.count, !hosts.isEmpty else {
      table.refuse(
        "hosts", .malformed, details: "Each is https:// or http://, a host and perhaps a port, and nothing else.")
      return nil
    }
    let world: StoreEnvironment = profile == .production ? .production : .simulated
    guard WeChatPayHost.environment(of: hosts) == world else {
      table.refuse(
        "hosts", .contradiction,
        details: profile == .production
          ? "A production profile asks WeChat Pay's own hosts alone."
          : "A simulated profile asks no host of WeChat Pay's.")
      return nil
    }
    return hosts
  }

  // MARK: Addresses

  private func appids(otherwise appid: String?) -> [TradeType: String] {
    var appids: [TradeType: String] = [:]
    if let appid { for cashier in [TradeType.app, .h5, .native] { appids[cashier] = appid } }
    guard let named = table.table("appids") else { return appids }
    for (key, cashier) in [("app", TradeType.app), ("jsapi", .jsapi), ("h5", .h5), ("native", .native)] {
      if let appid = named.optional(key, .string(bytes: 1...32)) { appids[cashier] = appid }
    }
    return appids
  }

  /// Scheme and host. WeChat Pay accepts only https; a simulator may still be told to send to another scheme.
  private static func origin(_ text: String) -> String? {
    guard let host = WeChatPayHost(text), text.hasPrefix("https://") else { return nil }
    return host.origin
  }

  private func refuse(_ key: String, _ error: CodedError<MerchantKeyErrorCode>, in table: ConfigurationTable) {
    table.refuse(key, .malformed, details: Self.words(error))
  }

  private static func words(_ error: CodedError<MerchantKeyErrorCode>) -> String {
    [error.code.meaning.english, error.details, error.code.remedy.english]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }
}
