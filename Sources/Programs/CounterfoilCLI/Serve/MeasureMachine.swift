import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import ServerConfiguration
import TOMLConfiguration

/// Sets the metrics of the process, of its database file and of the disk, for as long as the server runs.
struct MeasureMachine: Sendable {
  private static let interval = TimeSpan.seconds(15)

  private let database: ServedDatabase
  private let chain: String?
  private let metrics: Metrics
  private let platform: Platform

  init(
    _ database: ServedDatabase, of configuration: ServerConfiguration, into metrics: Metrics, _ platform: Platform
  ) {
    self.database = database
    self.metrics = metrics
    self.platform = platform
    chain = configuration.listen.certificate?.chain
    metrics.set(.buildInfo, [("version", Version.text), ("profile", configuration.profile.rawValue)], to: 1)
    metrics.set(.processStartTimeSeconds, to: Double(platform.dependencies.now().seconds))
  }

  func run() async {
    repeat { await measure() } while (try? await platform.dependencies.sleep(Self.interval)) != nil
  }

  private func measure() async {
    metrics.set(.processCpuSecondsTotal, to: Double(platform.processorNanoseconds()) / 1e9)
    if let bytes = platform.machine.residentBytes() { metrics.set(.processResidentMemoryBytes, to: Double(bytes)) }
    measureCertificate()
    switch database {
    case .file(let database, let path): await measure(database, path)
    case .server(let database): measure(database)
    }
  }

  /// What this process knows. PostgreSQL measures its disk and its log itself.
  private func measure(_ database: PostgreSQLDatabase) {
    metrics.set(.databaseRoundTripsTotal, to: Double(database.roundTrips))
    metrics.set(.databaseTransactionsWaiting, to: Double(database.waitingCount))
    metrics.set(.databaseLostCommitsTotal, to: Double(database.lostCommits))
    for (found, count) in database.unknownCommits {
      metrics.set(.databaseUnknownCommitsTotal, [("found", found)], to: Double(count))
    }
  }

  private func measure(_ database: SQLiteDatabase, _ path: String) async {
    if let bytes = platform.folders.size(path) { metrics.set(.databaseBytes, to: Double(bytes)) }
    metrics.set(.databaseLogBytes, to: Double(platform.folders.size(path + "-wal") ?? 0))
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    if let bytes = try? platform.folders.freeBytes(folder.isEmpty ? "/" : folder) {
      metrics.set(.diskFreeBytes, to: Double(bytes))
    }
    let counts = await database.planCounts
    for (outcome, count) in [
      ("answeredFromSnapshot", counts.answeredFromSnapshot), ("applied", counts.applied),
      ("outdated", counts.outdated), ("withoutPlan", counts.withoutPlan),
    ] {
      metrics.set(.transactionsTotal, [("outcome", outcome)], to: Double(count))
    }
  }

  /// The file may be replaced at any time. One that cannot be read leaves the last known time.
  private func measureCertificate() {
    guard let chain, let bytes = try? platform.files.read(chain, SecretReference.bytesMax),
      let own = try? X509Certificate.certificates(inFile: bytes).first
    else { return }
    metrics.set(.certificateExpiryTimestampSeconds, to: Double(own.notAfter.seconds))
  }
}
