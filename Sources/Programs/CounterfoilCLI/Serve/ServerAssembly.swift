import AppStoreProtocol
package import Cryptography
import HTTPMessages
package import PaymentDatabase
package import PaymentEngine
package import PaymentPrimitives
package import PaymentServer
package import ServerConfiguration
import StrictJSON

/// A server assembled from its configuration: database, engine, HTTP interface.
package struct ServerAssembly: Sendable {
  package let database: ServedDatabase
  package let engine: PaymentEngine
  package let server: PaymentServer
  /// The access for commands on this machine while the server runs.
  package let access: LocalAccess
  package let log: Log
  /// Judges the alerts and tells the channels.
  package let alerts: AlertWatch
  private let backups: BackupSchedule?
  private let machine: MeasureMachine
  private let exporter: TraceExporter?

  /// Opens the database and assembles the server over it.
  ///
  /// - Parameter holder: the command that this process runs, shown to a second process that wants the database.
  package static func open(
    _ configuration: ServerConfiguration, holder: String, isQuiet: Bool = false, _ platform: Platform
  ) async throws -> ServerAssembly {
    let plain = JSONLog(platform, isSimulated: configuration.profile == .simulated, isQuiet: isQuiet).log
    let metrics = Metrics()
    let exporter = try configuration.traces.map {
      TraceExporter(
        $0, exchange: try platform.exchange(.anywhere), dependencies: platform.dependencies, metrics: metrics,
        log: plain)
    }
    let traces = exporter?.traces() ?? .off
    let log = traces.adding(to: plain)
    let database = try await DatabaseFailure.inWords(configuration.database, platform) {
      try await OpenDatabase.writing(configuration, holder: holder, platform)
    }
    do {
      let engine = try await engine(
        configuration, database.payments, metrics: metrics, traces: traces, platform: platform, log: log)
      var settings = ServerSettings(
        userTokenKeys: configuration.userTokenKeys,
        isSimulated: configuration.profile == .simulated, version: Version.text)
      settings.rates = RateSettings()
      if case .server(let server) = configuration.database { settings.durability = server.durability.rawValue }
      let access = LocalAccess(to: configuration.apps.map(\.id), platform.dependencies)
      settings.localOperatorKeys = access.keys
      settings.trustedProxies = configuration.listen.trustedProxies
      settings.webOrigins = configuration.webOrigins
      let server = PaymentServer(
        engine: engine, settings: settings, dependencies: platform.dependencies, log: log)
      let backups = configuration.backup.flatMap { settings in
        configuration.database.file.map {
          BackupSchedule(settings, of: $0, configuration.profile, engine: engine, platform: platform)
        }
      }
      return ServerAssembly(
        database: database, engine: engine, server: server, access: access, log: log,
        alerts: AlertWatch(
          configuration.alerts, of: engine, node: node(over: database, platform),
          isSimulated: configuration.profile == .simulated),
        backups: backups,
        machine: MeasureMachine(database, of: configuration, into: engine.metrics, platform), exporter: exporter)
    } catch {
      await database.close()
      throw error
    }
  }

  /// Runs the background work until it is cancelled: the engine's, and a migration that goes on beside the traffic.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await engine.run() }
      group.addTask { await continueMigration() }
      group.addTask { await backups?.run() }
      group.addTask { await machine.run() }
      group.addTask { await measureBacklog() }
      group.addTask { await exporter?.run() }
      group.addTask { await alerts.run() }
    }
  }

  /// Sends the last traces, once everything has ended that makes some.
  package func sendLastTraces() async { await exporter?.flush() }

  private static let pauseBetweenMeasurements = TimeSpan.seconds(15)

  /// Measures what waits, which takes queries: too slow for a scrape, and the same for all who scrape.
  private func measureBacklog() async {
    repeat {
      await engine.measureBacklog()
    } while (try? await engine.dependencies.sleep(Self.pauseBetweenMeasurements)) != nil
  }

  /// One part of a migration takes milliseconds of the writer; the pause leaves it to the callers.
  private static let pauseBetweenParts = TimeSpan.milliseconds(50)

  private func continueMigration() async {
    await engine.repeatUntilDone(loggingErrors: "database.migrationFailed", pause: .seconds(60)) {
      guard try await database.continueMigration() else { return true }
      try await engine.dependencies.sleep(Self.pauseBetweenParts)
      return false
    }
  }

  private static func engine(
    _ configuration: ServerConfiguration, _ database: any PaymentDatabase, metrics: Metrics, traces: Traces,
    platform: Platform, log: @escaping Log
  ) async throws -> PaymentEngine {
    let secret = try await InstallationSecret.of(database)
    let configured = AppDirectory(configuration.apps)
    return PaymentEngine(
      configuration.apps, apps: try await database.read { try configured.goingOn(over: $0) }, database: database,
      verifier: try SignedDataVerifier(configuration.trust), dependencies: platform.dependencies,
      exchanges: Exchanges(
        outside: try platform.exchange(.publicOnly), anywhere: try platform.exchange(.anywhere)),
      secret: secret, erasureList: configuration.erasureList.map { FileErasureList($0, platform.files) },
      retention: configuration.retention, metrics: metrics, traces: traces, log: log)
  }

  /// The name of this process among those that share a database.
  private static func node(over database: ServedDatabase, _ platform: Platform) -> String {
    switch database {
    // No second process opens the file, so there is one node.
    case .file: "sqlite"
    case .server: "postgresql-" + platform.dependencies.randomBytes(8).hexadecimal
    }
  }
}

/// The key for the ids of derived orders; it is in the database, so a restored backup has it too.
package enum InstallationSecret {
  package static func of(_ database: any ReadableDatabase) async throws -> Secret {
    let digits = try await database.read { try $0.setting(DatabaseSetting.installationSecret) } ?? ""
    let bytes = stride(from: 0, to: digits.utf8.count - 1, by: 2).compactMap { offset in
      let start = digits.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
    }
    guard bytes.count == 32 else {
      throw CommandFailure("the database has no installation secret: it was not made by Counterfoil.")
    }
    return Secret(bytes)
  }
}
