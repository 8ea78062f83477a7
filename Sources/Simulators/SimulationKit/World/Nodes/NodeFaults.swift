import PaymentPrimitives

/// Cuts nodes off from their database, stops them, kills them while they hold a lease, and replaces the primary.
struct NodeFaults: Sendable {
  let context: SimulationContext
  let cluster: ModelledPostgreSQL
  let plan: NodePlan
  let servers: [WorldServer]
  let restarts: ServerRestarts

  /// Nil unless the database of that world is the modelled PostgreSQL.
  init?(
    of context: SimulationContext, over database: WorldDatabase, _ servers: [WorldServer], _ restarts: ServerRestarts
  ) {
    guard case .nodes(let cluster) = database, let plan = context.plan.nodes else { return nil }
    self.context = context
    self.cluster = cluster
    self.plan = plan
    self.servers = servers
    self.restarts = restarts
  }

  /// Ends all faults. The nodes come to rest by themselves; then one process holds the database, so that the days that
  /// follow take fewer steps.
  func end() async throws {
    for server in servers { server.process?.release() }
    cluster.heal()
    try await context.sleep(.minutes(3))
    for server in servers { server.process?.kill() }
    cluster.handOver()
  }

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await cutOff() }
      group.addTask { try await hold() }
      group.addTask { try await killHolders() }
      group.addTask { try await failOver() }
      try await group.waitForAll()
    }
  }

  private func chance(_ purpose: String) -> SeededChance { SeededChance(seed: context.seed, purpose: purpose) }

  private func cutOff() async throws {
    var chance = chance("cuts of nodes")
    for _ in 0..<plan.cuts {
      try await context.sleep(.seconds(Int64(5 + chance.number(below: 200))))
      let node = chance.number(below: servers.count)
      context.events.record("database", "does not reach server \(node)", mark: .nodeCutOff)
      for host in cluster.hosts { cluster.setCut(true, node: node, server: host.number) }
      try await context.sleep(.seconds(Int64(2 + chance.number(below: 90))))
      for host in cluster.hosts { cluster.setCut(false, node: node, server: host.number) }
      context.events.record("database", "reaches server \(node) again")
    }
  }

  private func hold() async throws {
    var chance = chance("holds of nodes")
    for _ in 0..<plan.holds {
      let server = servers[chance.number(below: servers.count)]
      try await context.sleep(.seconds(Int64(5 + chance.number(below: 200))))
      // A work that is done alone is what another node may take over meanwhile.
      if chance.happens(perMille: 700) { await server.leasedWork(within: .minutes(2)) }
      guard let process = server.process else { continue }
      context.events.record(process.name, "is stopped", mark: .nodeHeld)
      process.hold()
      try await context.sleep(.seconds(Int64(1 + chance.number(below: 90))))
      process.release()
      context.events.record(process.name, "goes on")
    }
  }

  private func killHolders() async throws {
    var chance = chance("kills of lease holders")
    for _ in 0..<plan.leaseKills {
      let server = servers[chance.number(below: servers.count)]
      try await context.sleep(.seconds(Int64(5 + chance.number(below: 200))))
      await server.leasedWork(within: .minutes(3))
      guard let process = server.process else { continue }
      context.events.record(process.name, "is killed with a lease", mark: .nodeKilledWithLease)
      process.kill()
      try await context.sleep(.milliseconds(Int64(chance.number(below: 40_000))))
      try await restarts.restart(server)
    }
  }

  // MARK: The database

  private func failOver() async throws {
    var chance = chance("fail-overs")
    for failover in plan.failovers {
      try await context.sleep(.seconds(Int64(5 + chance.number(below: 200))))
      switch failover {
      case .restart: try await restart(&chance)
      case .promotion: try await promote(&chance)
      case .isolation: try await isolate(&chance)
      case .standbyAway:
        context.events.record("database", "the standby does not answer", mark: .standbyAway)
        cluster.cutStandby(true)
        try await context.sleep(.seconds(Int64(1 + chance.number(below: 40))))
        cluster.cutStandby(false)
      }
    }
  }

  private func restart(_ chance: inout SeededChance) async throws {
    // Commits that only the primary has are then shown by it.
    cluster.cutStandby(true)
    try await context.sleep(.seconds(Int64(chance.number(below: 4))))
    context.events.record("database", "the primary is killed", mark: .primaryRestarted)
    cluster.killPrimary()
    try await context.sleep(.milliseconds(Int64(200 + chance.number(below: 8_000))))
    cluster.restartPrimary()
    context.events.record("database", "the primary starts again")
    try await context.sleep(.seconds(Int64(chance.number(below: 6))))
    if chance.happens(perMille: 400) {
      // Before the standby has heard of them, it takes the primary's place.
      return try await promote(&chance)
    }
    cluster.cutStandby(false)
  }

  private func promote(_ chance: inout SeededChance) async throws {
    context.events.record("database", "the primary is killed, and its standby takes its place", mark: .promoted)
    _ = cluster.promote(killingOld: true)
    try await context.sleep(.seconds(Int64(2 + chance.number(below: 30))))
    cluster.addStandby()
    context.events.record("database", "a new standby follows")
  }

  /// The old primary runs on. Some nodes reach only it, others only its successor.
  private func isolate(_ chance: inout SeededChance) async throws {
    cluster.cutStandby(true)
    try await context.sleep(.seconds(Int64(chance.number(below: 8))))
    guard let (old, new) = cluster.promote(killingOld: false) else { return }
    context.events.record(
      "database", "its standby takes the primary's place, which runs on", mark: .promotedBesideOld)
    for node in servers.indices {
      switch chance.number(below: 3) {
      case 0: cluster.setCut(true, node: node, server: new)
      case 1: cluster.setCut(true, node: node, server: old)
      default: break
      }
    }
    try await context.sleep(.seconds(Int64(5 + chance.number(below: 60))))
    for node in servers.indices { cluster.setCut(false, node: node, server: new) }
    try await context.sleep(.seconds(Int64(chance.number(below: 30))))
    cluster.addStandby()
    context.events.record("database", "the old primary follows the new one")
  }
}
