import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// A snapshot whose questions are asked ahead: the closures of a batch run over what is known, note what they miss, and
/// run again once all of it was asked together. So a batch waits as often as its longest chain of questions, however
/// many closures it has.
///
/// It reads only. Closures may run again at any time, so a run that missed something has no effect.
final class AskingAhead: SQLConnection {
  /// The failure of a run that asked what is not known yet.
  struct AnswerMissing: Error {}

  private struct Question: Hashable {
    let slot: Int
    let bytes: [UInt8]
    let ends: [Int?]
  }

  var knownHeaders = KnownHeaders()
  let asksTogether = true
  /// Whether the present run missed an answer.
  private(set) var hasMissed = false
  private let connection: Connection
  private var answers: [Question: Rows] = [:]
  private var missing: [Question: (sql: SQL, values: BoundValues)] = [:]
  private var order: [Question] = []

  /// The rows of an answer that belong to one question.
  private struct Rows {
    let answer: Answer?
    let range: Range<Int32>
    /// The columns before those that were asked for.
    let skipped: Int32
  }

  init(_ connection: Connection) {
    self.connection = connection
    knownHeaders = connection.knownHeaders
  }

  /// Begins the run of another closure.
  func begin() { hasMissed = false }

  func rows(
    _ sql: SQL, _ bind: (inout Parameters) -> Void, _ read: (inout Columns) throws -> Bool
  ) throws {
    let values = BoundValues(bind)
    if let problem = values.problem { throw problem }
    let question = Question(slot: sql.slot, bytes: values.bytes, ends: values.ends)
    guard let rows = answers[question] else {
      hasMissed = true
      if missing[question] == nil {
        missing[question] = (sql, values)
        order.append(question)
      }
      throw AnswerMissing()
    }
    guard let answer = rows.answer else { return }
    for row in rows.range {
      let goesOn = try answer.row(row) { columns in
        columns.skip(rows.skipped)
        return try read(&columns)
      }
      if !goesOn { return }
    }
  }

  /// Asks all that was missed, with what is queued on the connection, in one round trip.
  ///
  /// - Parameter others: queues further statements, in whose order `finish` gets their answers.
  func ask(with others: () throws -> Void, finish: ([Answer]) throws -> Void) throws {
    var groups: [(statement: JoinedStatement?, questions: [Question])] = []
    var places: [Int: Int] = [:]
    for question in order {
      guard let asked = missing[question] else { continue }
      if let place = places[question.slot] {
        groups[place].questions.append(question)
      } else if let statement = try connection.joined(asked.sql) {
        places[question.slot] = groups.count
        groups.append((statement, [question]))
      } else {
        groups.append((nil, [question]))
      }
    }
    try others()
    var counts: [Int] = []
    for (statement, questions) in groups {
      let values = questions.compactMap { missing[$0]?.values }
      if let statement {
        try connection.queue(statement, values)
      } else if let asked = missing[questions[0]] {
        try connection.queue(asked.sql, asked.values)
      }
      counts.append(questions.count)
    }
    let all = try connection.finishAll()
    let own = all.suffix(groups.count)
    for ((statement, questions), answer) in zip(groups, own) { keep(answer, isSingle: statement == nil, of: questions) }
    missing = [:]
    order = []
    try finish(Array(all.dropLast(groups.count)))
  }

  private func keep(_ answer: Answer, isSingle: Bool, of questions: [Question]) {
    if isSingle {
      answers[questions[0]] = Rows(answer: answer, range: 0..<answer.rowCount, skipped: 0)
      return
    }
    for question in questions { answers[question] = Rows(answer: nil, range: 0..<0, skipped: 1) }
    var start: Int32 = 0
    while start < answer.rowCount {
      let place = answer.place(start)
      var end = start + 1
      while end < answer.rowCount, answer.place(end) == place { end += 1 }
      if questions.indices.contains(place - 1) {
        answers[questions[place - 1]] = Rows(answer: answer, range: start..<end, skipped: 1)
      }
      start = end
    }
  }

  // MARK: What a snapshot does not do

  func write(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws { throw WriteRefused() }
  func requireOneRowChanged(_ details: String) throws { throw WriteRefused() }
  func change(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int { throw WriteRefused() }
  func insertedRow(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int64? { throw WriteRefused() }
}
