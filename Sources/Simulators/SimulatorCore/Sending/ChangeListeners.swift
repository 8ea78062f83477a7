/// Who waits for the next command of a simulator.
package struct ChangeListeners: Sendable {
  private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
  private var last = 0

  package init() {}

  /// A stream that yields after each command, until its number is removed.
  package mutating func add() -> (number: Int, changes: AsyncStream<Void>) {
    last += 1
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    listeners[last] = continuation
    return (last, stream)
  }

  package mutating func remove(_ number: Int) { listeners.removeValue(forKey: number)?.finish() }

  package func wake() {
    for (_, continuation) in listeners.sorted(by: { $0.key < $1.key }) { continuation.yield() }
  }
}
