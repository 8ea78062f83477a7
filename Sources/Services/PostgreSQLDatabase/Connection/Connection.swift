import CPostgreSQL
import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// A session on a server, with its prepared statements. Statements are queued and sent together (libpq's pipeline).
///
/// It belongs to one actor; two threads never use it at once.
final class Connection {
  private let line: Line
  private let statementDeadline: TimeSpan
  private let commitDeadline: TimeSpan
  private let statements: StatementTypes
  private let work: WorkCount
  /// Which statements the session has prepared, by slot.
  private var prepared: [Bool] = []
  /// What was queued since the last `finish`, in order.
  private var queued: [Queued] = []
  /// When the last commit was sent that the server has answered, by the monotonic clock.
  private(set) var confirmedAt: UInt64 = 0
  /// The headers of signed texts that were found here in committed rows.
  var knownHeaders = KnownHeaders()

  private struct Queued {
    /// The statement that this prepares; nil if it runs one.
    var prepares: Int?
    /// The error if it does not change exactly one row.
    var unlessOneRow: (any Error)?
  }

  /// Takes over an open line.
  ///
  /// - Throws: `PostgreSQLFailure` if it has no pipeline.
  init(
    _ line: Line, statementDeadline: TimeSpan, commitDeadline: TimeSpan, statements: StatementTypes,
    work: WorkCount
  ) throws {
    self.line = line
    self.statements = statements
    self.work = work
    self.statementDeadline = statementDeadline
    self.commitDeadline = commitDeadline
    guard PQenterPipelineMode(line.handle) == 1 else { throw PostgreSQLFailure(lost: "it has no pipeline") }
  }

  func close() { line.close() }

  /// Whether the session can be used no longer.
  var isLost: Bool { line.isLost }

  /// Whether no transaction is open.
  var isOutsideTransaction: Bool { PQtransactionStatus(line.handle) == PQTRANS_IDLE }

  /// The version of the server, such as 150013 for 15.13.
  var serverVersion: Int { Int(PQserverVersion(line.handle)) }

  // MARK: Queueing

  /// Queues a statement. Its errors come with the next `finish`.
  func queue(_ sql: SQL, _ bind: (inout Parameters) -> Void = { _ in }) throws {
    try queue(sql, BoundValues(bind))
  }

  /// Lets `finish` fail with an error if the statement queued last does not change exactly one row.
  func requireOneRow(orThrow error: any Error) {
    guard let last = queued.indices.last else { return }
    queued[last].unlessOneRow = error
  }

  /// Queues a statement with values of the same number and kinds as its parameters.
  func queue(_ sql: SQL, _ values: BoundValues) throws {
    if let problem = values.problem { throw problem }
    try prepare(sql)
    guard values.send(to: line.handle, sql.name) else { throw unsent }
    queued.append(Queued())
  }

  /// Queues one statement for many rows of values.
  ///
  /// - Parameter count: how many rows it must change; only for a statement that requires that.
  func queue(_ statement: JoinedStatement, _ rows: [BoundValues], count: Int? = nil) throws {
    try queue(statement.sql, BoundValues(joining: rows, types: statement.types, count: count))
  }

  private func prepare(_ sql: SQL) throws {
    guard !isPrepared(sql) else { return }
    guard PQsendPrepare(line.handle, sql.name, sql.text(in: .postgreSQL), 0, nil) == 1 else { throw unsent }
    queued.append(Queued(prepares: sql.slot))
  }

  /// The statement that does for many rows what another does for one; nil if there is none.
  ///
  /// The types of its parameters are asked once for a database: then what is queued runs now.
  func joined(_ sql: SQL, requiresRows: Bool = false) throws -> JoinedStatement? {
    if let known = statements.joined(sql, requiresRows: requiresRows) { return known }
    if statements.types(of: sql) == nil {
      try prepare(sql)
      guard PQsendDescribePrepared(line.handle, sql.name) == 1 else { throw unsent }
      queued.append(Queued())
      guard let answer = try finishAll().last else { throw PostgreSQLFailure(lost: "an answer is missing") }
      statements.note(answer.parameterTypes, of: sql)
    }
    return statements.joined(sql, requiresRows: requiresRows) ?? nil
  }

  private var unsent: PostgreSQLFailure { PostgreSQLFailure(lost: "a statement could not be sent") }

  private func isPrepared(_ sql: SQL) -> Bool {
    if sql.slot < prepared.count, prepared[sql.slot] { return true }
    return queued.contains { $0.prepares == sql.slot }
  }

  // MARK: Running

  /// Runs what was queued, and waits for all results.
  ///
  /// - Throws: the first failure. The statements after it did not run.
  func finish() throws { _ = try finishAll() }

  /// The same; returns the answers in the order of the statements.
  func finishAll() throws -> [Answer] { try finish(within: statementDeadline) }

  private func finish(within span: TimeSpan) throws -> [Answer] {
    guard !queued.isEmpty else { return [] }
    let entries = queued
    work.addRoundTrip(statements: entries.count { $0.prepares == nil })
    queued = []
    do {
      guard PQpipelineSync(line.handle) == 1 else { throw unsent }
      let deadline = line.deadline(in: span)
      var first: (any Error)?
      var answers: [Answer] = []
      for entry in entries {
        do {
          let answer = try answer(to: entry, deadline: deadline, isAfterFailure: first != nil)
          if let answer, entry.prepares == nil { answers.append(answer) }
        } catch {
          if (error as? PostgreSQLFailure)?.isLost == true { throw error }
          first = first ?? error
        }
      }
      try endPipeline(deadline: deadline)
      if let first { throw first }
      return answers
    } catch let failure as PostgreSQLFailure where failure.isLost {
      // A line that failed once has an unknown place in its stream.
      line.close()
      throw failure
    }
  }

  /// Takes the results of one queued message.
  ///
  /// - Throws: its failure.
  /// - Returns: nil for what was skipped after an earlier failure.
  private func answer(to entry: Queued, deadline: UInt64, isAfterFailure: Bool) throws -> Answer? {
    var answer: Answer?
    var failure: (any Error)?
    while let result = try nextResult(deadline: deadline) {
      let next = Answer(result)
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
        if let slot = entry.prepares { notePrepared(slot) }
        if let error = entry.unlessOneRow, next.rowsChanged != 1 { failure = failure ?? error }
        answer = next
      case PGRES_PIPELINE_ABORTED where isAfterFailure: break
      case PGRES_FATAL_ERROR: failure = failure ?? PostgreSQLFailure(result, isLost: line.isLost)
      default: throw PostgreSQLFailure(lost: "its order is broken")
      }
    }
    if let failure { throw failure }
    return answer
  }

  private func nextResult(deadline: UInt64) throws -> OpaquePointer? {
    try line.exchange(until: deadline) { PQisBusy(line.handle) == 0 }
    return PQgetResult(line.handle)
  }

  private func endPipeline(deadline: UInt64) throws {
    guard let result = try nextResult(deadline: deadline) else {
      throw PostgreSQLFailure(lost: "its order is broken")
    }
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_PIPELINE_SYNC else {
      throw PostgreSQLFailure(result, isLost: true)
    }
  }

  private func notePrepared(_ slot: Int) {
    while prepared.count <= slot { prepared.append(false) }
    prepared[slot] = true
  }

  // MARK: Statements with answers

  /// Runs a statement after those that are queued.
  func run(_ sql: SQL, _ bind: (inout Parameters) -> Void = { _ in }) throws {
    try queue(sql, bind)
    try finish()
  }

  /// The same; returns the number of rows that it changed.
  func change(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int {
    try answer(sql, bind).rowsChanged
  }

  func all<Row>(
    _ sql: SQL, _ bind: (inout Parameters) -> Void = { _ in }, _ read: (inout Columns) throws -> Row
  ) throws -> [Row] {
    let answer = try answer(sql, bind)
    return try (0..<answer.rowCount).map { try answer.row($0, read) }
  }

  /// The first row, or nil.
  func first<Row>(
    _ sql: SQL, _ bind: (inout Parameters) -> Void = { _ in }, _ read: (inout Columns) throws -> Row
  ) throws -> Row? {
    let answer = try answer(sql, bind)
    return answer.rowCount > 0 ? try answer.row(0, read) : nil
  }

  /// Runs a statement that is needed once, such as a step of the schema, and is not prepared.
  func execute(_ text: String) throws {
    guard PQsendQueryParams(line.handle, text, 0, nil, nil, nil, nil, 1) == 1 else { throw unsent }
    queued.append(Queued())
    try finish()
  }

  /// See `Line.hear`. A line that fails is closed.
  func hear(within span: TimeSpan) throws -> [String] {
    do { return try line.hear(until: line.deadline(in: span)) } catch {
      line.close()
      throw error
    }
  }

  func answer(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Answer {
    try queue(sql, bind)
    guard let answer = try finishAll().last else {
      throw PostgreSQLFailure(lost: "an answer is missing")
    }
    return answer
  }

  // MARK: The end of a transaction

  /// Commits what was queued and written. Each failure from here on may leave the outcome unknown.
  ///
  /// - Throws: `PostgreSQLFailure`. A commit with a warning is one: a server that stopped waiting for its standby says
  /// so   by a warning alone.
  func commit() throws {
    // What the server accepted may still be refused here: before that is known, COMMIT must not be on its way.
    if queued.contains(where: { $0.unlessOneRow != nil }) { try finish() }
    let (noticesBefore, sentAt) = (line.noticeCount, line.now)
    try queue(.commit)
    let tag = try finish(within: commitDeadline).last?.tag
    guard line.noticeCount == noticesBefore else { throw PostgreSQLFailure(state: "01000", "COMMIT gave a warning") }
    // In a transaction that has failed, COMMIT succeeds and rolls back.
    guard tag == "COMMIT" else { throw PostgreSQLFailure(state: "25P02", "the server has rolled back") }
    confirmedAt = sentAt
  }

  /// Runs one statement as a transaction of its own.
  ///
  /// - Throws: `PostgreSQLFailure`, as `commit` does.
  func runConfirmed(_ sql: SQL) throws {
    let (noticesBefore, sentAt) = (line.noticeCount, line.now)
    try queue(sql)
    _ = try finish(within: commitDeadline)
    guard line.noticeCount == noticesBefore else { throw PostgreSQLFailure(state: "01000", "it gave a warning") }
    confirmedAt = sentAt
  }

  /// Ends a transaction without its writes; whatever goes wrong, the line is closed.
  func rollback() {
    do { try run(.rollback) } catch { line.close() }
  }
}

extension SQL {
  /// The name under which a connection prepares it.
  var name: String { "s\(slot)" }

  static let commit = SQL("COMMIT")
  static let rollback = SQL("ROLLBACK")
  static let begin = SQL("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
  static let beginSnapshot = SQL("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
}
