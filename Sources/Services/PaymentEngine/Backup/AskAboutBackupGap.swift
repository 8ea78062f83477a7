import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Synchronization

extension PaymentEngine {
  /// The gap of a database that was restored from a backup; nil if it never was.
  package func backupGap() async throws -> BackupGap? {
    try await read { try Self.backupGap(in: $0) }
  }

  /// A database whose log was taken away has such a gap, too.
  static func backupGap(in reader: any DatabaseReader) throws -> BackupGap? {
    let restored = try reader.setting(DatabaseSetting.backupGap).flatMap { BackupGap(text: $0) }
    guard let lost = try reader.setting(DatabaseSetting.logLostSince).flatMap({ Int64($0) }) else { return restored }
    let since = Timestamp(milliseconds: lost)
    // The stores were asked about that one.
    guard let restored, restored.askedAt == nil else { return BackupGap(from: since, until: since, after: restored) }
    // What an earlier restoration left open is not forgotten.
    let from = min(since, restored.from)
    return BackupGap(from: from, until: max(from, restored.until), earlier: restored.earlier)
  }

  /// Asks the stores about the time that the database knows nothing about. A database of many nodes may get such a time
  /// while it runs: in a fail-over to a server that had not received everything (record 311).
  func watchBackupGap() async {
    while true {
      await askAboutBackupGap()
      guard database.coordination != nil, (try? await dependencies.sleep(limits.backupGapPause)) != nil else { return }
    }
  }

  /// Asks the stores about the time between a backup and its restoration, until they have answered everything. Until
  /// then the server is not ready (`checkReadiness`).
  ///
  /// A question that is repeated changes nothing twice, so an end of the process only costs a repetition.
  private func askAboutBackupGap() async {
    await repeatUntilDone(loggingErrors: "backup.gapNotAsked", pause: limits.backupGapPause) {
      guard let gap = try await backupGap(), gap.askedAt == nil else { return true }
      if try await read({ try $0.setting(DatabaseSetting.logLostSince) })?.isEmpty == false {
        let event = database.coordination == nil ? "database.logLost" : "database.commitsLost"
        log(LogEvent(.error, event, [("since", gap.from.iso8601)]))
      }
      let isDone = Atomic(false)
      try await doAlone("backup.gap") { isDone.store(try await isAnswered(gap), ordering: .relaxed) }
      if !isDone.load(ordering: .relaxed) { try await dependencies.sleep(limits.backupGapPause) }
      // Another node may have asked meanwhile.
      return isDone.load(ordering: .relaxed)
    }
  }

  private func isAnswered(_ gap: BackupGap) async throws -> Bool {
    var unanswered = 0
    for store in stores { unanswered += try await store.ask(about: gap, in: self) }
    guard unanswered == 0 else {
      log(LogEvent(.warning, "backup.gapUnanswered", [("questions", "\(unanswered)")]))
      return false
    }
    guard try await closeQuestions(about: gap) else { return false }
    log(LogEvent(.info, "backup.gapAsked", [("from", gap.from.iso8601), ("until", gap.until.iso8601)]))
    return true
  }

  /// Lets the server become ready although the stores have not answered. What was paid in the gap is then found by the
  /// schedules alone.
  package func skipQuestionsAboutBackupGap() async throws {
    guard let gap = try await backupGap(), gap.askedAt == nil, try await closeQuestions(about: gap) else { return }
    log(LogEvent(.warning, "backup.gapSkipped", [("from", gap.from.iso8601), ("until", gap.until.iso8601)]))
  }

  /// - Returns: false if it is not the gap that the database has now: it can lose more while the stores are asked.
  private func closeQuestions(about gap: BackupGap) async throws -> Bool {
    try await transact { transaction in
      guard try Self.backupGap(in: transaction) == gap else { return false }
      let isOfLostLog = try transaction.setting(DatabaseSetting.logLostSince)?.isEmpty == false
      var asked = isOfLostLog ? BackupGap(from: gap.from, until: transaction.now, earlier: gap.earlier) : gap
      asked.askedAt = transaction.now
      try transaction.set(DatabaseSetting.backupGap, to: asked.text)
      if isOfLostLog { try transaction.set(DatabaseSetting.logLostSince, to: "") }
      return true
    }
  }

  /// The days of an app in the gap whose bills have not been compared yet, in order.
  package func uncomparedDays(of app: AppPolicy) async throws -> [UncomparedDay] {
    let stores = stores
    return try await read { reader in
      guard let gap = try Self.backupGap(in: reader) else { return [] }
      return try stores.flatMap { try $0.uncomparedDays(in: gap, of: app, reader) }
    }
  }
}
