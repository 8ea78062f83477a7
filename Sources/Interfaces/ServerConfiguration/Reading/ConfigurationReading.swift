import AppStoreIntegration
import AppStoreProtocol
import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import TOMLConfiguration

/// Reads the tables of a configuration. The table notes errors; the reading continues where possible.
struct ConfigurationReading {
  var sources: SecretSources
  let folder: String
  let now: @Sendable () -> Timestamp
  let doubts: ConfigurationDoubts

  init(
    _ sources: SecretSources, folder: String, now: @escaping @Sendable () -> Timestamp, _ doubts: ConfigurationDoubts
  ) {
    self.sources = sources
    self.folder = folder
    self.now = now
    self.doubts = doubts
  }

  func server(_ root: ConfigurationTable) -> ServerConfiguration? {
    let profile = root.value("profile", .word, default: DatabaseProfile.production)
    var reading = self
    // Keys of simulators protect nothing, and are often left in folders that everybody can read.
    if profile == .simulated { reading.sources.isReadableByOthers = { _ in false } }
    return reading.server(root, profile)
  }

  private func server(_ root: ConfigurationTable, _ profile: DatabaseProfile) -> ServerConfiguration? {
    let address = root.layered("address", .string(bytes: 1...255), default: "127.0.0.1").value
    let port = root.layered("port", .integer(in: 0...65535), default: 8080).value
    let database = DatabaseReading(self, profile: profile).location(root)
    var listen = ListenSettings(address: address, port: UInt16(port))
    if let tls = root.table("tls") {
      if let chain = tls.required("certificate", .string(bytes: 1...4096)),
        let key = tls.required("key", .string(bytes: 1...4096))
      {
        listen.certificate = (
          ServerConfiguration.resolve(chain, in: folder), ServerConfiguration.resolve(key, in: folder)
        )
        doubts.check(tls, chain: chain, key: key, at: now(), sources)
        if sources.isReadableByOthers(key) {
          tls.refuse("key", .secretExposed, details: SecretReference.exposure(of: key))
        }
      }
    }
    listen.drainLimit = root.value("drain_limit", .duration(in: .zero ... .minutes(10)), default: .seconds(30))
    doubts.check(root, listen, profile: profile)
    ProxyReading(root).read(into: &listen)
    let backup = root.table("backup").flatMap { self.backup($0) }
    if backup != nil, database.map({ $0.file == nil }) ?? false {
      root.refuse(
        "backup", .contradiction,
        details: "It copies a SQLite file. A database on PostgreSQL has base backups and an archive of its own.")
    }
    let erasureList = root.table("erasures").flatMap { table in
      table.required("list", .string(bytes: 1...4096)).map { ServerConfiguration.resolve($0, in: folder) }
    }
    let retention = root.table("retention").map { self.retention($0) }
    let console = root.table("console").flatMap { ConsoleReading(reading: self, profile: profile).read($0) }
    let traces = root.table("otlp").flatMap { TraceReading(reading: self, profile: profile).read($0) }
    let webOrigins = WebOriginReading(root, profile).origins()
    let alerts = AlertChannelReading(self, profile: profile).channels(root)
    let trust = trust(root, profile)
    let appTables = root.tables("app")
    if appTables.isEmpty { root.refuse(nil, .missingKey, details: "At least one [[app]] is needed.") }
    let apps = appTables.compactMap { AppReading(self, $0, profile: profile).app() }
    let keys = appTables.flatMap { UserTokenKeyReading(self, $0).keys() }
    refuseDoubles(root, apps, keys: keys)
    guard apps.count == appTables.count, let trust, let database else { return nil }
    IdentityProviderReading.refuseUnknownApps(root, console?.provider, apps: apps.map(\.id))
    var configuration = ServerConfiguration(
      profile: profile, listen: listen, database: database, apps: apps,
      userTokenKeys: Dictionary(keys) { first, _ in first }, trust: trust, doubts: doubts.found)
    configuration.backup = backup
    configuration.erasureList = erasureList
    if let retention { configuration.retention = retention }
    configuration.console = console
    configuration.traces = traces
    configuration.alerts = alerts
    configuration.webOrigins = webOrigins
    return configuration
  }

  private func retention(_ table: ConfigurationTable) -> RetentionPolicy {
    let most = RetentionPolicy.most
    return RetentionPolicy(
      deliveries: table.optional("deliveries", .duration(in: .days(1)...most)),
      sessions: table.optional("sessions", .duration(in: .days(1)...most)),
      evidence: table.optional("evidence", .duration(in: RetentionPolicy.evidenceMin...most)))
  }

  private func backup(_ table: ConfigurationTable) -> BackupSettings? {
    guard let named = table.required("folder", .string(bytes: 1...4096)) else { return nil }
    return BackupSettings(
      folder: ServerConfiguration.resolve(named, in: folder),
      every: table.value("every", .duration(in: .minutes(1) ... .days(7)), default: .hours(6)),
      keep: Int(table.value("keep", .integer(in: 1...100_000), default: 14)))
  }

  /// Additional roots and environments without a signature. A production profile rejects them: with their key, an
  /// attacker could create purchases.
  private func trust(
    _ root: ConfigurationTable, _ profile: DatabaseProfile
  ) -> SignedDataConfiguration? {
    var trust = SignedDataConfiguration(profile: profile == .production ? .production : .development)
    for path in root.optional("trusted_roots", .list(of: .string(bytes: 1...4096))) ?? [] {
      guard let bytes = file(path, root, key: "trusted_roots") else { continue }
      do { trust.anchors += try X509Certificate.certificates(inFile: bytes) } catch {
        root.refuse("trusted_roots", .malformed, details: "\(path): \(error)")
      }
    }
    let unsigned: [SignedDataConfiguration.UnsignedEnvironment]? = root.optional(
      "unsigned_environments", .list(of: .word))
    trust.unsignedEnvironments = Set(unsigned ?? [])
    if let table = root.table("app_store") {
      trust.revocationCheck = table.value("ocsp", .word, default: RevocationCheck.off)
    }
    do { _ = try SignedDataVerifier(trust) } catch {
      root.refuse(
        trust.anchors.isEmpty ? "unsigned_environments" : "trusted_roots", .contradiction, details: "\(error)")
      return nil
    }
    return trust
  }

  private func refuseDoubles(
    _ root: ConfigurationTable, _ apps: [AppSettings],
    keys: [(CredentialIdentifier, UserTokenKey)]
  ) {
    func doubled<Name: Hashable>(_ names: [Name]) -> Name? {
      var seen: Set<Name> = []
      return names.first { !seen.insert($0).inserted }
    }
    if let id = doubled(apps.map(\.id)) {
      root.refuse("app", .contradiction, details: "Two apps have the id \(id).")
    }
    if let bundleId = doubled(apps.compactMap { $0.appStore?.identity.bundleId }) {
      root.refuse("app", .contradiction, details: "Two apps have the bundle id \(bundleId).")
    }
    if let kid = doubled(keys.map(\.0)) {
      root.refuse(
        "app", .contradiction, details: "Two user token keys have the kid \(kid); it is unique over all apps.")
    }
  }

  /// The bytes of a secret; problems are noted at its key.
  func secret(_ table: ConfigurationTable, _ key: String) -> Secret? {
    guard let reference = table.required(key, .secret) else { return nil }
    return resolve(reference, table, key: key)
  }

  /// The bytes of a file that is not a secret; problems are noted at its key.
  func file(_ path: String, _ table: ConfigurationTable, key: String) -> [UInt8]? {
    do { return try sources.readFile(path, SecretReference.bytesMax) } catch {
      table.refuse(key, .fileUnreadable, details: "\(path): \(error)")
      return nil
    }
  }

  func resolve(_ reference: SecretReference, _ table: ConfigurationTable, key: String) -> Secret? {
    do { return Secret(try reference.resolve(sources)) } catch {
      table.refuse(key, error.code, details: error.details)
      return nil
    }
  }
}
