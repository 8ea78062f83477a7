import PaymentPrimitives

/// Builds the state from a log, line by line.
enum LogReplay {
  /// The state after all readable records, and the number of torn lines at the end.
  ///
  /// - Throws: `logUnreadable` naming the line; `logTooNew` for records of a later version.
  static func run(
    _ lines: [[UInt8]]
  ) throws(CodedError<SimulatorErrorCode>) -> (state: SimulatorState, tornLines: Int) {
    var state = SimulatorState()
    var torn = 0
    for (index, line) in lines.enumerated() {
      guard let record = try record(line, index) else {
        torn += 1
        guard torn <= SimulatorLimits.tornLinesMax else { throw refusal(index, "It is no JSON.") }
        continue
      }
      try admit(record, after: torn, state, index)
      torn = 0
      do throws(SimulatorState.Inconsistency) {
        try state.apply(record)
      } catch {
        throw refusal(index, error.description)
      }
    }
    return (state, torn)
  }

  /// The record of a line; nil for a line that a kill may have torn.
  private static func record(
    _ line: [UInt8], _ index: Int
  ) throws(CodedError<SimulatorErrorCode>) -> SimulatorRecord? {
    do throws(SimulatorRecord.Problem) { return try SimulatorRecord(line: line) } catch {
      switch error {
      case .torn: return nil
      case .version:
        throw CodedError(.logTooNew, "Line \(index + 1) is of another version than \(SimulatorRecord.version).")
      case .form(let problem): throw refusal(index, problem)
      }
    }
  }

  /// Checks that a record follows the one before it. Torn lines are allowed only at the end, or right before the record
  /// that counts them.
  private static func admit(
    _ record: SimulatorRecord, after torn: Int, _ state: SimulatorState, _ index: Int
  ) throws(CodedError<SimulatorErrorCode>) {
    guard record.number == state.recordCount + 1 else {
      throw refusal(index, "Its number is \(record.number) instead of \(state.recordCount + 1).")
    }
    if case .tornLinesDropped(torn) = record.event { return }
    guard torn == 0 else { throw refusal(index - 1, "It is no JSON.") }
  }

  private static func refusal(_ index: Int, _ problem: String) -> CodedError<SimulatorErrorCode> {
    CodedError(.logUnreadable, "Line \(index + 1): \(problem)")
  }
}
