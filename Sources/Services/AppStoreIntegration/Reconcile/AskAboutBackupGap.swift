import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Reads what Apple's records gained since a backup. How far they were read is stored in the database, so a restored
  /// one goes on where the backup was.
  ///
  /// - Returns: the number of apps whose records could not be read to their end.
  func askAppStoreAboutBackupGap() async throws -> Int {
    guard let appStore else { return 0 }
    var unanswered = 0
    for app in apps.all where appStore.identities[app.id] != nil {
      guard appStore.gateways[app.id] != nil else {
        // Without a key for Apple's servers, only the phones and later notifications tell of the gap.
        log(LogEvent(.warning, "backup.appStoreNotAsked", [("app", app.id.text)]))
        continue
      }
      if try await reconcileAppStore(app).stoppedBy != nil { unanswered += 1 }
    }
    return unanswered
  }
}
