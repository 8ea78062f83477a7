/// Reads the records of a log, line by line.
package enum LogReplay {
  /// Torn lines in sequence: each kill of a simulator while it opens the log can leave one.
  package static let tornLinesMax = 3

  /// Applies all readable records in their order. A failure names the line.
  ///
  /// - Returns: the number of torn lines at the end.
  package static func run<Record: LogRecord>(
    _ lines: [[UInt8]], apply: (Record) throws(StateInconsistency) -> Void
  ) throws(LogFailure) -> Int {
    var count = 0
    var torn = 0
    for (index, line) in lines.enumerated() {
      guard let record: Record = try record(line, index) else {
        torn += 1
        guard torn <= tornLinesMax else { throw failure(index, "It is no JSON.") }
        continue
      }
      guard record.number == count + 1 else {
        throw failure(index, "Its number is \(record.number) instead of \(count + 1).")
      }
      // Torn lines are allowed only at the end, or right before the record that counts them.
      guard torn == 0 || record.tornLinesDropped == torn else { throw failure(index - 1, "It is no JSON.") }
      torn = 0
      do throws(StateInconsistency) { try apply(record) } catch { throw failure(index, error.description) }
      count = record.number
    }
    return torn
  }

  /// The record of a line; nil for a line that a kill may have torn.
  private static func record<Record: LogRecord>(_ line: [UInt8], _ index: Int) throws(LogFailure) -> Record? {
    do throws(LogRecordProblem) { return try Record(line: line) } catch {
      switch error {
      case .torn: return nil
      case .version: throw .tooNew("Line \(index + 1) is of another version than \(logRecordVersion).")
      case .form(let problem): throw failure(index, problem)
      }
    }
  }

  private static func failure(_ index: Int, _ problem: String) -> LogFailure {
    .unreadable("Line \(index + 1): \(problem)")
  }
}

/// A record that contradicts the state before it: a programming error, or a log that was changed by hand.
package struct StateInconsistency: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
