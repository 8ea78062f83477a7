import AppStoreSimulator
import SimulatorCore
import Synchronization

/// A log that fails at one append: before anything is written, in the middle of the line, or after it.
final class DyingLog: Sendable {
  enum Death: CaseIterable, Sendable { case beforeWriting, whileWriting, afterWriting }

  struct Killed: Error {}

  private struct State {
    var lines: [[UInt8]]
    var left: Int
  }

  private let state: Mutex<State>
  private let death: Death

  /// - Parameter append: the number of the append that fails, from 1.
  init(_ lines: [[UInt8]] = [], at append: Int, _ death: Death) {
    state = Mutex(State(lines: lines, left: append))
    self.death = death
  }

  var lines: [[UInt8]] { state.withLock { $0.lines } }

  var log: SimulatorLog {
    SimulatorLog(append: { line in try self.append(line) }, readAll: { self.lines })
  }

  private func append(_ line: [UInt8]) throws {
    try state.withLock { state in
      state.left -= 1
      if state.left == 0 {
        switch death {
        case .beforeWriting: break
        case .whileWriting: state.lines.append(Array(line.prefix(line.count / 2)))
        case .afterWriting: state.lines.append(line)
        }
        throw Killed()
      }
      state.lines.append(line)
    }
  }
}
