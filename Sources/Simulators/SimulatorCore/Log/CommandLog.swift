import PaymentPrimitives

/// The log of one simulator and the state that it records. It alone changes that state: one command after the other.
///
/// It belongs to the simulator's actor: all its calls run there.
package final class CommandLog<State: RecordedState> {
  package private(set) var state: State

  /// False after a record write failed: the content of the log is then unknown, so no further command is accepted.
  package private(set) var canWrite = true

  private let log: SimulatorLog
  private let names: LogEventNames
  private let report: Log
  private let turns = CommandTurns()
  private var listeners = ChangeListeners()

  init(_ state: State, _ log: SimulatorLog, names: LogEventNames, report: @escaping Log) {
    self.state = state
    self.log = log
    self.names = names
    self.report = report
  }

  // MARK: commands

  /// Decides a command on the current state, writes its record, then applies it. Commands run one at a time: a server
  /// would treat two purchases with the same number as one payment.
  ///
  /// - Parameter decide: returns the answer of the command, and its record; no record when nothing changes.
  package func commit<Answer, Failure: CommandFailure>(
    isolation: isolated (any Actor)? = #isolation,
    _ decide: (State) throws(Failure) -> (answer: Answer, record: State.Record?)
  ) async throws(Failure) -> Answer {
    await turns.take()
    defer { turns.give() }
    guard canWrite else { throw Failure(.unavailable("An earlier record could not be written.")) }
    // The decision has released the state before it changes. Otherwise each change would copy the whole state.
    let (answer, record) = try decide(state)
    guard let record else { return answer }
    let line = record.line
    precondition(line.count <= State.Record.bytesMax, "every field of a record has its bound")
    do { try await log.append(line) } catch { throw breakOff(.unavailable("\(error)")) }
    do { try state.apply(record) } catch { throw breakOff(.unreadable(error.description)) }
    listeners.wake()
    return answer
  }

  /// Stops all further commands.
  private func breakOff<Failure: CommandFailure>(_ failure: LogFailure) -> Failure {
    canWrite = false
    report(LogEvent(.error, names.logBroken, [("error", failure.details)]))
    return Failure(failure)
  }

  // MARK: who waits for a command

  /// A stream that yields after each command, until its number is removed.
  package func listen() -> (number: Int, changes: AsyncStream<Void>) { listeners.add() }

  package func stopListening(_ number: Int) { listeners.remove(number) }
}

/// The names of the events that a simulator reports about its log.
package struct LogEventNames: Sendable {
  package let opened: String
  package let tornLinesDropped: String
  package let logBroken: String

  package init(opened: String, tornLinesDropped: String, logBroken: String) {
    self.opened = opened
    self.tornLinesDropped = tornLinesDropped
    self.logBroken = logBroken
  }
}
