import Synchronization

/// The answers to all floods of a world.
final class FloodNotes: Sendable {
  private let state = Mutex<[(kind: FloodPlan.Kind, answers: [FloodAnswer])]>([])

  func note(_ kind: FloodPlan.Kind, _ answers: [FloodAnswer]) { state.withLock { $0.append((kind, answers)) } }

  var all: [(kind: FloodPlan.Kind, answers: [FloodAnswer])] { state.withLock { $0 } }
}
