import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Changes of the app's configuration while users buy.
struct CatalogChanges: Sendable {
  let context: SimulationContext
  let appStore: WorldAppStore
  let weChatPay: WorldWeChatPay
  let servers: [WorldServer]
  let backend: WorldBackend
  let restarts: ServerRestarts
  let otherShop: OtherShopSales

  /// Makes each change, and restarts the servers one after the other: for a while they sell by different
  /// configurations.
  func changeProducts() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "configuration")
    for change in context.plan.catalog.changes {
      try await context.sleep(.seconds(Int64(20 + chance.number(below: 300))))
      try await rollOut(change, .catalogChanged, chance: &chance)
      if chance.happens(perMille: context.plan.catalog.refunds) { try await refund(after: change, &chance) }
    }
  }

  /// Configures each wrong kind for a while.
  func mistakeKinds() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "wrong kinds")
    for wrong in context.plan.catalog.kinds {
      try await context.sleep(.seconds(Int64(5 + chance.number(below: 300))))
      try await rollOut(.mistakeKind(of: wrong.product), .kindChanged, chance: &chance)
      try await context.sleep(wrong.lasts)
      try await rollOut(.putKindRight(of: wrong.product), nil, chance: &chance)
    }
  }

  /// Adds the other app to the configuration, removes or retires it for a while, and has it configured at the end.
  func changeOtherApp() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "the other app's standing")
    if context.plan.crowd.otherBegins != .sells {
      try await context.sleep(.seconds(Int64(20 + chance.number(below: 200))))
      try await rollOut(.other(.sells), .appCame, chance: &chance)
    }
    for spell in context.plan.crowd.otherSpells {
      try await context.sleep(spell.after)
      try await rollOut(.other(spell.standing), spell.standing == .absent ? .appDropped : .appRetired, chance: &chance)
      try await context.sleep(spell.lasts)
      try await rollOut(.other(.sells), nil, chance: &chance)
    }
  }

  /// Changes the configuration and applies it to every server, one after the other. Another caller waits meanwhile.
  private func rollOut(_ change: CatalogPlan.Change, _ mark: CoverageMark?, chance: inout SeededChance) async throws {
    while !context.catalog.takeTurn() { try await context.sleep(.seconds(1)) }
    context.catalog.change(change, at: context.world.now)
    context.events.record("operator", "changes the configuration: \(change)", mark: mark)
    for server in servers {
      try await context.sleep(.seconds(Int64(chance.number(below: 20))))
      // A stopped server gets the newest configuration when it starts.
      guard let process = server.process else { continue }
      if chance.happens(perMille: 500), try await reload(server) { continue }
      process.kill()
      try await restarts.restart(server)
    }
    while servers.contains(where: { !$0.isCurrent }) { try await context.sleep(.seconds(1)) }
    context.catalog.isInForce(since: context.world.now)
    context.catalog.endTurn()
  }

  /// Whether a running server takes over the newest configuration; it rejects one that drops products or apps with
  /// sales.
  private func reload(_ server: WorldServer) async throws -> Bool {
    guard let store = appStore.store, let platform = weChatPay.platform else { return false }
    let sold = context.catalog.other == .absent ? try await otherShop.soldIds() : []
    let hasSold = backend.book.entries.contains { sold.contains($0.transaction) }
    let outcome = try await server.reload(trusting: store, platform)
    if hasSold, case .taken = outcome {
      context.events.reportViolation("a server let go of the other app, which has sold")
    }
    if hasSold, case .refused = outcome { context.events.mark(.dropRefused) }
    let isTaken = outcome == .taken(needRestart: [])
    context.events.record(
      "operator", isTaken ? "has it taken over while the server runs" : "starts the server again: it was not taken",
      mark: isTaken ? .catalogReloaded : nil)
    return isTaken
  }

  /// Refunds a charge that was sold before the change; sometimes the App Store reverses that refund.
  private func refund(after change: CatalogPlan.Change, _ chance: inout SeededChance) async throws {
    try await context.sleep(.seconds(Int64(chance.number(below: 60))))
    let products = Set(
      context.catalog.versions.flatMap(\.products).filter { $0.id == change.product }
        .flatMap(\.appStoreProducts))
    let sold = try await appStore.insist { await $0.charges() }.filter { charge in
      charge.refundedPercentage == 0 && products.contains(charge.transaction.product)
    }
    guard let id = chance.pick(sold)?.transaction.id else { return }
    context.events.record("App Store", "gives back \(id), which was sold by another configuration")
    _ = try? await appStore.insist { try await $0.refunds.refund(id) }
    guard chance.happens(perMille: 400) else { return }
    try await context.sleep(.seconds(Int64(5 + chance.number(below: 90))))
    context.events.record("App Store", "takes back the refund of \(id)")
    _ = try? await appStore.insist { try await $0.refunds.reverse(id) }
  }
}
