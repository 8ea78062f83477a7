import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration

/// A database opened for reading, also while a server runs, with the configuration of its apps.
struct ReportedDatabase {
  let reader: any ReadableDatabase
  /// Whether a file was copied without its log.
  let lacksLog: Bool
  let apps: [AppInDatabase]

  /// The properties of an app that reports need.
  struct AppInDatabase: Sendable {
    let id: AppIdentifier
    let appEnvironments: [AppEnvironment]
    let catalog: Catalog
  }

  /// Opens the database that the options name.
  static func reading(_ options: Options, _ platform: Platform) async throws -> ReportedDatabase {
    let configuration = try await ChosenConfiguration.of(options, platform)
    let opened = try await DatabaseFailure.inWords(configuration.database, exit: ExitCode.usage, platform) {
      try await OpenDatabase.reading(configuration, platform)
    }
    return ReportedDatabase(
      reader: opened.payments, lacksLog: opened.lacksLog,
      apps: configuration.apps.map {
        AppInDatabase(id: $0.id, appEnvironments: $0.policy.userEnvironments, catalog: $0.policy.catalog)
      })
  }
}
