/// Lets the commands of one simulator run one at a time, in the order in which they came.
///
/// It belongs to the simulator's actor: all its calls run there.
package final class CommandTurns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  package func take(isolation: isolated (any Actor)? = #isolation) async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  package func give() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
