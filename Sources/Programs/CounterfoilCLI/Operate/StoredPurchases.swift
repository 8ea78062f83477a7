package import PaymentEngine
import PaymentDatabase
package import PaymentPrimitives
import SQLiteDatabase

/// Holds a configuration against what the database, if it can be read here, has promised.
package enum StoredPurchases {
  /// What does not go on under the configuration, and what to say of the comparison.
  package static func gaps(
    _ configuration: ServerConfiguration, _ doors: Platform
  ) async throws -> (found: [ConfigurationGap], said: [BilingualText]) {
    let store: SQLiteReader
    do {
      store = try await SQLiteReader.open(
        path: configuration.database, profile: configuration.profile, on: ThreadExecutor(),
        now: doors.surroundings.now)
    } catch let refusal as CodedError<DatabaseErrorCode> {
      // Before the first start there is none, and where a configuration is written there may never be one.
      let why = refusal.code.meaning
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
      let found = try await store.read { try configured.gaps(to: $0) }
      await store.close()
      return (found, [])
    } catch {
      await store.close()
      throw error
    }
  }
}
