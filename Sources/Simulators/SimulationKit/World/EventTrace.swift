import PaymentPrimitives
import Synchronization

/// Records the events of a world: for the trace hash, for the readable trace, and for the count of coverage marks.
final class EventTrace: Sendable {
  private struct State {
    var lines: [EventTraceLine] = []
    var sights: [CoverageMark: Int] = [:]
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
  func tell(_ who: String, _ what: String, _ sight: CoverageMark? = nil) {
    world.note("\(who): \(what)")
    let at = world.now
    state.withLock { state in
      if keepsLines { state.lines.append(EventTraceLine(at: at, who: who, what: what)) }
      if let sight { state.sights[sight, default: 0] += 1 }
    }
  }

  func see(_ sight: CoverageMark) { state.withLock { $0.sights[sight, default: 0] += 1 } }

  /// Reports a violated rule.
  func complain(_ problem: String) {
    tell("ORACLE", problem)
    state.withLock { $0.problems.append(problem) }
  }

  var lines: [EventTraceLine] { state.withLock { $0.lines } }
  var sights: [CoverageMark: Int] { state.withLock { $0.sights } }
  var problems: [String] { state.withLock { $0.problems } }
}
