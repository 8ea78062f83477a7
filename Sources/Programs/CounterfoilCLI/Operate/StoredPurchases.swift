import PaymentDatabase
package import PaymentEngine
package import PaymentPrimitives
package import ServerConfiguration

/// Compares a configuration with the promises in the database, if the database can be read here.
package enum StoredPurchases {
  /// The promises that the configuration does not continue, and notes about the comparison.
  package static func gaps(
    _ configuration: ServerConfiguration, _ platform: Platform
  ) async throws -> (found: [ConfigurationGap], said: [BilingualText]) {
    let database: ReadOnlyDatabase
    do {
      database = try await OpenDatabase.reading(configuration, platform)
    } catch let error as CodedError<DatabaseErrorCode> {
      // Before the first start there is no database; on a machine that only writes configurations there may never be
      // one.
      let why = error.code.meaning
      return (
        [],
        [
          BilingualText(
            "not compared with the purchases in the database: \(why.english)", "未与数据库中的购买记录比对：\(why.chinese)")
        ]
      )
    }
    let configured = AppDirectory(configuration.apps)
    do {
      let found = try await database.payments.read { try configured.gaps(to: $0) }
      await database.close()
      return (found, [])
    } catch {
      await database.close()
      throw error
    }
  }
}
