import PaymentPrimitives
import Synchronization

/// Records the events of a world: for the trace hash, for the readable trace, and for the count of coverage marks.
final class EventTrace: Sendable {
  private struct State {
    var lines: [EventTraceLine] = []
    var marks: [CoverageMark: Int] = [:]
    var problems: [String] = []
  }

  private let world: SimulatedWorld
  private let keepsLines: Bool
  private let state = Mutex(State())

  init(_ world: SimulatedWorld, keepsLines: Bool) {
    self.world = world
    self.keepsLines = keepsLines
  }

  /// Records an event; it becomes part of the trace.
  func record(_ who: String, _ what: String, mark: CoverageMark? = nil) {
    world.note("\(who): \(what)")
    let at = world.now
    state.withLock { state in
      if keepsLines { state.lines.append(EventTraceLine(at: at, who: who, what: what)) }
      if let mark { state.marks[mark, default: 0] += 1 }
    }
  }

  func mark(_ mark: CoverageMark) { state.withLock { $0.marks[mark, default: 0] += 1 } }

  /// Reports a violated rule.
  func reportViolation(_ problem: String) {
    record("ORACLE", problem)
    state.withLock { $0.problems.append(problem) }
  }

  var lines: [EventTraceLine] { state.withLock { $0.lines } }
  var marks: [CoverageMark: Int] { state.withLock { $0.marks } }
  var problems: [String] { state.withLock { $0.problems } }
}
