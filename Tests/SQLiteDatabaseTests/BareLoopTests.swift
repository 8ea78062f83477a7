import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import TestDatabases
import Testing

@Suite struct `A bare loop` {
  private struct SecondThoughts: Error {}

  private func settings(_ path: URL, _ recording: StatementRecording? = nil) -> SQLiteSettings {
    var settings = SQLiteSettings(path: path.path, profile: .simulated, holder: "test")
    settings.recording = recording
    settings.batchMax = 1
    return settings
  }

  private func open(_ path: URL, _ recording: StatementRecording? = nil) async throws -> SQLiteDatabase {
    try await SQLiteDatabase.open(
      settings(path, recording),
      dependencies: Dependencies(
        now: { at(0) }, randomBytes: { Array(repeating: 7, count: $0) }, sleep: { _ in }),
      writer: ThreadExecutor(), readers: [ThreadExecutor()])
  }

  @Test func `leaves the recorded rows, also quotes and question marks, and no row that was rolled back`() async throws
  {
    let directory = try makeTestDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let recorded = directory.appendingPathComponent("recorded.db")
    let bare = directory.appendingPathComponent("bare.db")
    await (try open(recorded)).close()
    try FileManager.default.copyItem(at: recorded, to: bare)
    let recording = StatementRecording()
    let database = try await open(recorded, recording)
    let order = sampleOrder(1, user: "it's ?, isn't it: ''", expiresAt: at(-5)) { $0.metadata = #"{"宝":"x'00'"}"# }
    try await database.commit { try $0.insert(order) }
    let outcome = await database.transact { transaction in
      try transaction.set("withdrawn", to: "never")
      throw SecondThoughts()
    }
    #expect(outcome.word != "committed")
    try await database.commit { try $0.set("NULL", to: "?") }
    try await database.commit { try $0.set("empty", to: "") }
    try await database.commit { transaction in
      for number: UInt64 in 2...3 { try transaction.insert(sampleOrder(number, user: order.user)) }
      _ = try transaction.openOrders(of: order.user, in: order.key.appEnvironment)
    }
    await database.close()

    let loop = try BareLoop(recording, settings: settings(bare))
    #expect(loop.count == 4)
    try loop.run(batch: 2)
    // The last transaction reads three orders, the others read single rows.
    #expect(loop.rowsRead >= 3 && loop.sumOfColumns != 0)
    loop.close()
    let again = try await open(bare)
    #expect(try await again.read { try $0.order(order.key) } == order)
    #expect(try await again.read { try $0.setting("NULL") } == "?")
    #expect(try await again.read { try $0.setting("empty") } == "")
    #expect(try await again.read { try $0.setting("withdrawn") } == nil)
    await again.close()
  }

  @Test func `refuses to continue if the database is in another state`() async throws {
    let directory = try makeTestDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let recorded = directory.appendingPathComponent("recorded.db")
    let recording = StatementRecording()
    let database = try await open(recorded, recording)
    try await database.commit { try $0.insert(sampleOrder(1)) }
    await database.close()
    let loop = try BareLoop(recording, settings: settings(recorded))
    #expect(throws: CodedError<DatabaseErrorCode>.self) { try loop.run(batch: 1) }
    loop.close()
  }
}
