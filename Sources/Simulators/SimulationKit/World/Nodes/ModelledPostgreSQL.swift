import PaymentDatabase
import PaymentPrimitives
import Synchronization

/// A model of PostgreSQL with a synchronous standby, for several nodes: lines are cut, answers to COMMIT are lost, the
/// primary is killed, and the standby is promoted, also while the old primary runs on.
///
/// It follows what `PostgreSQLDatabase` relies on (records 246 to 253 and 266). The nodes of a world use it through
/// `ModelledNode`.
package final class ModelledPostgreSQL: Sendable {
  private struct State {
    var primary = 0
    /// The server that takes over each commit; nil while there is none.
    var standby: Int?
    var isStandbyCut = false
    /// The nodes that do not reach a server.
    var cuts: Set<Line> = []
    var lastCall: Int64 = 0
    var answered: [Int64] = []
    var mailboxes: [Int64: [String]] = [:]
    /// The database of one process that follows after the end of all faults.
    var single: InMemoryStorage?
    /// Whether a primary has run on beside its successor.
    var hasHadTwoPrimaries = false
    var chance: SeededChance
  }

  private struct Line: Hashable {
    let node: Int
    let server: Int
  }

  /// How long a node waits for an answer, as `PostgreSQLSettings.commitDeadline`.
  static let deadline = TimeSpan.seconds(10)
  /// Faults of the model itself; a test plants them.
  package struct Habits: Hashable, Sendable {
    /// Whether a commit waits until the standby has it.
    package var waitsForStandby = true
    /// Whether a node asks about a commit whose answer it did not get. Otherwise it takes it for written.
    package var asksAboutCommits = true
  }

  let habits: Habits
  let events: EventTrace
  let world: SimulatedWorld
  private let context: @Sendable (String) -> SimulatedProcess
  private let servers: [ModelledServer]
  private let state: Mutex<State>

  init(
    seed: UInt64, _ world: SimulatedWorld, _ events: EventTrace, habits: Habits,
    process: @escaping @Sendable (String) -> SimulatedProcess
  ) {
    self.world = world
    self.events = events
    self.habits = habits
    context = process
    let content = ModelledServer.Content(
      rows: InMemoryStorage(profile: .simulated, installationSecret: WorldShop.installationDigits))
    servers = (0..<2).map { ModelledServer($0, content) }
    state = Mutex(State(standby: 1, chance: SeededChance(seed: seed, purpose: "modelled PostgreSQL")))
    servers[0].start(process("database 0"))
  }

  // MARK: What others see

  /// The rows of whichever server leads.
  var rows: InMemoryStorage { state.withLock { $0.single } ?? primary.visible.rows }
  var primary: ModelledServer { servers[state.withLock { $0.primary }] }
  var single: InMemoryStorage? { state.withLock { $0.single } }
  var hasHadTwoPrimaries: Bool { state.withLock { $0.hasHadTwoPrimaries } }
  /// The servers in the order in which a node tries them.
  var hosts: [ModelledServer] { servers }

  func nextCall() -> Int64 {
    state.withLock { state in
      state.lastCall += 1
      return state.lastCall
    }
  }

  func canReach(_ node: Int, _ server: ModelledServer) -> Bool {
    state.withLock { !$0.cuts.contains(Line(node: node, server: server.number)) }
  }

  /// A commit was answered: no fail-over may lose it.
  func noteAnswered(_ number: Int64) { state.withLock { $0.answered.append(number) } }

  // MARK: Messages between nodes

  func openMailbox(of node: Int64) { state.withLock { $0.mailboxes[node] = [] } }

  func post(_ lines: [String], from node: Int64) {
    state.withLock { state in
      for other in state.mailboxes.keys where other != node { state.mailboxes[other]?.append(contentsOf: lines) }
    }
  }

  func takeMail(of node: Int64) -> [String] {
    state.withLock { state in
      let lines = state.mailboxes[node] ?? []
      if !lines.isEmpty { state.mailboxes[node] = [] }
      return lines
    }
  }

  // MARK: Replication

  /// Waits until the standby has all that the disk of this server has. On a server that was replaced it waits for ever.
  func replicate(_ server: ModelledServer, _ dependencies: Dependencies) async {
    guard habits.waitsForStandby else { return }
    while true {
      if standby(of: server) != nil {
        let pause = state.withLock { $0.chance.number(below: 4) }
        try? await dependencies.sleep(.milliseconds(Int64(pause)))
        if let standby = standby(of: server) { return standby.take(server.disk) }
      }
      guard (try? await dependencies.sleep(.milliseconds(250))) != nil else { return }
    }
  }

  private func standby(of server: ModelledServer) -> ModelledServer? {
    let standby = state.withLock { state in
      state.primary == server.number && !state.isStandbyCut ? state.standby : nil
    }
    return standby.map { servers[$0] }
  }

  // MARK: Faults

  func setCut(_ isCut: Bool, node: Int, server: Int) {
    state.withLock { state in
      let line = Line(node: node, server: server)
      if isCut { state.cuts.insert(line) } else { state.cuts.remove(line) }
    }
  }

  func cutStandby(_ isCut: Bool) { state.withLock { $0.isStandbyCut = isCut } }

  /// Kills the primary as a power cut would.
  func killPrimary() { primary.stop() }

  /// Starts the primary again over what its disk has.
  func restartPrimary() { primary.start(context("database \(primary.number)")) }

  /// Lets the standby take the primary's place; nil if there is none. The old primary is killed, unless it is cut off
  /// from the standby and runs on.
  ///
  /// - Returns: the old and the new primary.
  func promote(killingOld: Bool) -> (old: Int, new: Int)? {
    guard let new = state.withLock({ $0.standby }) else { return nil }
    let old = primary
    if killingOld { old.stop() }
    let answered = state.withLock { state in
      (state.primary, state.standby, state.isStandbyCut) = (new, nil, false)
      if !killingOld { state.hasHadTwoPrimaries = true }
      return state.answered
    }
    servers[new].start(context("database \(new)"))
    let kept = Set(servers[new].visible.commits)
    for number in answered.suffix(1_000) where !kept.contains(number) {
      events.reportViolation("a fail-over lost commit \(number), which was answered")
    }
    return (old.number, new)
  }

  /// Makes the other server a new standby, from a copy of the primary.
  func addStandby() {
    let other = 1 - state.withLock { $0.primary }
    servers[other].stop()
    servers[other].take(primary.disk)
    state.withLock { state in
      state.standby = other
      state.cuts = state.cuts.filter { $0.server != other }
    }
  }

  func heal() {
    state.withLock { ($0.cuts, $0.isStandbyCut) = ([], false) }
    if primary.process == nil { restartPrimary() }
    if state.withLock({ $0.standby }) == nil { addStandby() }
  }

  /// From now on one process holds the database, as it stands. All nodes have been stopped.
  func handOver() {
    let rows = primary.visible.rows
    for server in servers { server.stop() }
    state.withLock { $0.single = rows.copy() }
  }

  /// Changes both servers before the world starts.
  func prepare<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value> {
    var content = primary.disk
    content.rows = content.rows.copy()
    let world = world
    let outcome = await InMemoryDatabase(content.rows, now: { world.now }).transact(body)
    for server in servers {
      server.write { $0.rows = content.rows }
      server.show()
    }
    return outcome
  }
}
