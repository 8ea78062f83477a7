import PaymentDatabase
import PaymentPrimitives
import Synchronization

/// One server of the modelled PostgreSQL: what its disk has, what its sessions see, and whose turn to write it is.
///
/// Writers take turns. A commit is on the server's own disk first, then at the standby, then seen by others, then
/// answered. The server may be killed between any two of these.
final class ModelledServer: Sendable {
  /// What a standby takes over.
  struct Content: Sendable {
    /// Never changed: a commit replaces it.
    var rows: InMemoryStorage
    /// The numbers of the latest commits that took.
    var commits: [Int64] = []
    /// The numbers of the latest commits that a node has asked about. One that arrives afterwards is refused.
    var settled: [Int64] = []
    var nodes = ModelledNodeTable()

    /// A node asks within a minute, so these are many more than it can ask about.
    private static let rememberedMax = 2_000

    mutating func add(_ number: Int64, to list: WritableKeyPath<Content, [Int64]>) {
      if self[keyPath: list].count >= 2 * Self.rememberedMax { self[keyPath: list].removeFirst(Self.rememberedMax) }
      self[keyPath: list].append(number)
    }
  }

  private struct State {
    var disk: Content
    /// What sessions see: without the commit that waits for the standby.
    var visible: Content
    /// The running process; a session belongs to one. Nil while the server is down or a standby.
    var process: SimulatedProcess?
    var isWriting = false
    var turns: [NetworkMessage<Bool>] = []
    /// Ends the calls that wait when the server is killed.
    var calls: [Int64: @Sendable () -> Void] = [:]
  }

  let number: Int
  private let state: Mutex<State>

  init(_ number: Int, _ content: Content) {
    self.number = number
    state = Mutex(State(disk: content, visible: content))
  }

  var process: SimulatedProcess? { state.withLock { $0.process } }
  var visible: Content { state.withLock { $0.visible } }
  var disk: Content { state.withLock { $0.disk } }

  // MARK: Life

  /// Starts it as a primary. It shows all that its disk has, also what no standby has yet (record 253).
  func start(_ process: SimulatedProcess) {
    state.withLock { state in
      state.visible = state.disk
      state.process = process
      state.isWriting = false
      state.turns = []
    }
  }

  /// Kills it. Every session ends, and whoever waits for an answer notices.
  func stop() {
    let (process, calls) = state.withLock { state in
      defer { (state.process, state.calls) = (nil, [:]) }
      return (state.process, state.calls)
    }
    process?.kill()
    for (_, end) in calls.sorted(by: { $0.key < $1.key }) { end() }
  }

  /// Takes over what the primary has, as its standby.
  func take(_ content: Content) {
    state.withLock { ($0.disk, $0.visible) = (content, content) }
  }

  func noteCall(_ number: Int64, _ end: @escaping @Sendable () -> Void) { state.withLock { $0.calls[number] = end } }
  func forgetCall(_ number: Int64) { state.withLock { _ = $0.calls.removeValue(forKey: number) } }

  // MARK: Writing

  /// Waits until no other commit is under way.
  func takeTurn() async {
    let letter = state.withLock { state -> NetworkMessage<Bool>? in
      guard state.isWriting else {
        state.isWriting = true
        return nil
      }
      let letter = NetworkMessage<Bool>()
      state.turns.append(letter)
      return letter
    }
    _ = await letter?.wait()
  }

  func releaseTurn() {
    let next = state.withLock { state -> NetworkMessage<Bool>? in
      guard !state.turns.isEmpty else {
        state.isWriting = false
        return nil
      }
      return state.turns.removeFirst()
    }
    next?.answer(true)
  }

  /// Writes to its own disk alone.
  func write(_ change: (inout Content) -> Void) { state.withLock { change(&$0.disk) } }

  /// Lets sessions see what the disk has.
  func show() { state.withLock { $0.visible = $0.disk } }

  /// Changes the table of nodes without waiting for the standby, as commits with `synchronous_commit = off` do.
  func changeNodes<Value>(_ change: (inout ModelledNodeTable) throws -> Value) rethrows -> Value {
    try state.withLock { state in
      let value = try change(&state.disk.nodes)
      state.visible.nodes = state.disk.nodes
      return value
    }
  }
}
