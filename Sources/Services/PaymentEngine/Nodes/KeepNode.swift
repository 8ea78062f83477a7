package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import Synchronization

/// What this process knows of the others over its database.
final class NodeWatch: Sendable {
  private struct State {
    var active = 1
    /// Whether no active node has a smaller number.
    var isFirst = true
    var isDraining = false
    var sharing = SharingNodes()
    var isHearing = true
  }

  private let state = Mutex(State())

  /// How many nodes share the work, this one included; the last known number while the database cannot be reached.
  var active: Int { state.withLock { $0.active } }
  var isFirst: Bool { state.withLock { $0.isFirst } }
  var isDraining: Bool { state.withLock { $0.isDraining } }

  /// - Returns: whether the number of active nodes has changed.
  func note(_ nodes: [NodeRecord], own: Int64) -> Bool {
    let active = nodes.filter { $0.state == .active }
    return state.withLock { state in
      let before = state.active
      state.active = max(1, active.count)
      // One that drains leaves it to the others.
      state.isFirst = active.map(\.number).min().map { $0 == own } ?? true
      return state.active != before
    }
  }

  /// This node's part after a beat.
  func share(_ nodes: [NodeRecord], own: Int64, begun: Timestamp) -> StoreShare {
    state.withLock { $0.sharing.share(nodes, own: own, begun: begun) }
  }

  /// Whether messages of other nodes arrive.
  var isHearing: Bool { state.withLock { $0.isHearing } }
  func noteHearing(_ isHearing: Bool) { state.withLock { $0.isHearing = isHearing } }

  func drain() { state.withLock { $0.isDraining = true } }
}

extension Dependencies {
  /// The same with the clock of a database that several processes share, as far as this process knows it. So all of
  /// them judge signatures and tokens alike, and sign with one time.
  package func keepingTime(of database: any PaymentDatabase) -> Dependencies {
    guard let coordination = database.coordination else { return self }
    var shared = self
    shared.now = { [now] in now() + coordination.clockOffset }
    return shared
  }
}

extension PaymentEngine {
  /// The time by the database's clock, as far as this process knows it. All times in rows are meant by that clock. The
  /// clock of a database of one process is the process's own.
  package var now: Timestamp { dependencies.now() }

  /// What an operator should know of this node, although it serves: stable words.
  package var nodeWarnings: [String] {
    guard let coordination = database.coordination else { return [] }
    let isClockWrong = abs(coordination.clockOffset.milliseconds) > limits.nodeClockMax.milliseconds
    return (isClockWrong ? ["clockDiffers"] : []) + (nodes.isHearing ? [] : ["nodesNotHeard"])
  }

  /// How far this node's clock is behind the database's; nil if one process holds the database.
  package var clockBehind: TimeSpan? { database.coordination?.clockOffset }

  /// How many nodes share the work.
  package var activeNodes: Int { nodes.active }

  /// How many deliveries this node may have under way to one endpoint: its share of what the endpoint bears.
  var deliveriesInFlight: Int {
    let most = limits.deliveriesInFlightPerEndpoint
    return activeNodes == 1 ? most : max(2, most / activeNodes)
  }

  /// Whether this node may ask a store about an order now: no other did within the pause. Without an answer of the
  /// database it may not.
  package func mayAsk(about order: OrderKey) async throws -> Bool {
    guard let coordination = database.coordination else { return true }
    return try await coordination.mayAsk(about: order, pause: limits.storeQuestionPause)
  }

  /// Takes no more work from now on. The server is no longer ready; requests are still answered.
  ///
  /// - Returns: whether others serve on. They are asked for anew: one may have joined since the last beat.
  @discardableResult
  package func drain() async -> Bool {
    guard let coordination = database.coordination else { return false }
    nodes.drain()
    do {
      try await coordination.note(.draining)
      return try await coordination.beat().contains { $0.state == .active && $0.number != coordination.node }
    } catch {
      log(LogEvent(.warning, "node.notDraining", [("error", "\(error)")]))
      // Unknown: a balancer that sends calls elsewhere needs the time.
      return true
    }
  }

  /// Says every few seconds that this node lives, until the task is cancelled.
  func keepNode() async {
    guard let coordination = database.coordination else { return }
    for store in stores { await store.keep(to: .none) }
    while !Task.isCancelled {
      do {
        let begun = dependencies.now()
        let records = try await coordination.beat()
        reportClock(coordination.clockOffset)
        if nodes.note(records, own: coordination.node) {
          log(LogEvent(.info, "node.count", [("active", "\(nodes.active)"), ("node", "\(coordination.node)")]))
        }
        let share = nodes.share(records, own: coordination.node, begun: begun)
        for store in stores { await store.keep(to: share) }
      } catch {
        log(LogEvent(.warning, "node.notSeen", [("error", "\(error)")]))
      }
      guard (try? await dependencies.sleep(limits.nodeBeat)) != nil else { break }
    }
    try? await coordination.note(.left)
  }

  /// Signatures and tokens are judged by this process's own clock, so a wrong one is reported.
  private func reportClock(_ offset: TimeSpan) {
    guard abs(offset.milliseconds) > limits.nodeClockSlack.milliseconds else { return }
    log(LogEvent(.warning, "node.clockWrong", [("behindMilliseconds", "\(offset.milliseconds)")]))
  }
}
