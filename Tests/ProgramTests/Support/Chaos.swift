import PaymentPrimitives
import Synchronization
import SystemPlatform
import TestDatabases
import TestDoubles
import TestPlatform

/// Faults, one after another, drawn from a seed, against nodes and their database.
actor Chaos {
  private let database: ReplicatedPostgreSQL
  private let nodes: ShopNodes
  private let schema: String
  private var chance: SplitMix64
  private(set) var tally = ChaosTally()
  /// Nodes that are paused for long: other faults take place meanwhile.
  private var paused: Set<Int> = []
  /// Nodes whose clocks are off until they are killed.
  private var wrong: Set<Int> = []

  init(_ database: ReplicatedPostgreSQL, _ nodes: ShopNodes, schema: String, seed: UInt64) {
    self.database = database
    self.nodes = nodes
    self.schema = schema
    chance = SplitMix64(seed: seed)
  }

  func strike(_ faults: Int) async throws {
    // The first ones are one of each kind, so that a small run has all.
    var first = ChaosFault.possible
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<faults {
        try await Dependencies.system.sleep(.milliseconds(Int64(200 + chance.number(below: 400))))
        let fault = first.isEmpty ? ChaosFault.drawn(&chance) : first.removeFirst()
        let begin = Dependencies.system.now()
        guard fault != .longPause else {
          if let node = free() { group.addTask { try await self.pauseLong(node) } }
          continue
        }
        let count = try await take(fault)
        tally.add(fault, count, Dependencies.system.now() - begin)
      }
      try await group.waitForAll()
    }
    for node in wrong.sorted() { try await restart(node, clockAhead: 0) }
  }

  /// Lets a fault take place.
  ///
  /// - Returns: how often it did.
  private func take(_ fault: ChaosFault) async throws -> Int {
    switch fault {
    case .kill: return try await kill()
    case .wrongClock:
      guard let node = free() else { return 0 }
      try await restart(node, clockAhead: chance.number(below: 2) == 0 ? -300 : 300)
      return 1
    case .pause, .longPause: return try await pause()
    case .endedSessions: return try database.endSessions(oneIn: 2)
    case .restart:
      try await database.restart()
      return 1
    case .promotion:
      try await database.failOver()
      return 1
    case .cutCommit: return try await spoil(.cutBeforeCommit)
    case .lostAnswer: return try await spoil(.swallowAnswer)
    case .heldCommit: return try await spoil(.hold)
    case .deadlock: return try await database.deadlock(in: schema)
    case .lockedTables: return try await database.lockTables(in: schema)
    case .fullServer: return try await database.fillConnections()
    case .fullDisk: return try await database.fillDisk()
    }
  }

  /// A node that is not paused.
  private func free() -> Int? {
    let all = nodes.ports.indices.filter { !paused.contains($0) }
    return all.isEmpty ? nil : all[chance.number(below: all.count)]
  }

  /// Kills one node, two or all that are not paused.
  private func kill() async throws -> Int {
    let count = 1 + chance.number(below: 3)
    var killed: Set<Int> = []
    for _ in 0..<count { if let node = free() { killed.insert(node) } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for node in killed {
        // What runs with a wrong clock does so until it is killed.
        group.addTask { try await self.restart(node, clockAhead: 0) }
      }
      try await group.waitForAll()
    }
    return killed.count
  }

  private func restart(_ node: Int, clockAhead: Int) async throws {
    guard let process = nodes.process(node), process.status == nil else {
      throw ShopError("node \(node) ended by itself: \(nodes.process(node)?.errors ?? "")")
    }
    process.kill()
    if clockAhead == 0 { wrong.remove(node) } else { wrong.insert(node) }
    try await nodes.start(node, clockAhead: clockAhead)
  }

  private func pause() async throws -> Int {
    guard let node = free() else { return 0 }
    try await hold(node, .milliseconds(1_500))
    return 1
  }

  private func pauseLong(_ node: Int) async throws {
    paused.insert(node)
    try await hold(node, .seconds(35))
    paused.remove(node)
    tally.add(.longPause, 1)
  }

  private func hold(_ node: Int, _ span: TimeSpan) async throws {
    let process = nodes.process(node)
    guard process?.hold() == true else { throw ShopError("node \(node) ended by itself") }
    try await Dependencies.system.sleep(span)
    process?.release()
  }

  private func spoil(_ fault: FaultyLine.Fault) async throws -> Int {
    let count = 1 + chance.number(below: 3)
    return try await database.line.spoil(fault, count)
  }
}

extension FaultyLine {
  /// Lets the next COMMITs meet a fault, and waits for them for ten seconds.
  fileprivate func spoil(_ fault: Fault, _ count: Int) async throws -> Int {
    let before = faultCount
    try fail(fault, times: count)
    _ = try await eventually(tries: 1000) { self.faultCount >= before + count }
    return faultCount - before
  }
}
