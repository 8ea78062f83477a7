import AppStoreSimulator
import HTTPMessages
import PaymentModel
import PaymentPrimitives

/// What happens to the world while faults are active: user sessions, kills, network cuts, refunds.
struct Workload: Sendable {
  let context: SimulationContext
  let appStore: WorldAppStore
  let weChatPay: WorldWeChatPay
  let servers: [WorldServer]
  let backend: WorldBackend
  let phones: [WorldPhone]

  /// Runs the whole fault phase; every process runs again when it returns.
  func chaos() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for phone in phones { group.addTask { try await day(of: phone) } }
      for (number, server) in servers.enumerated() {
        group.addTask { try await killServer(server, number) }
      }
      group.addTask { try await killAppStore() }
      group.addTask { try await killBackend() }
      group.addTask { try await cutNetwork() }
      group.addTask { try await refund() }
      group.addTask { try await closeOrders() }
      group.addTask { try await killWeChatPay() }
      group.addTask { try await refundAtWeChatPay() }
      group.addTask { try await closeWeChatPayOrders() }
      group.addTask { try await tendSubscriptions() }
      group.addTask { try await refundInStories() }
      group.addTask { try await spend() }
      group.addTask { try await changeCatalog() }
      group.addTask { try await sellElsewhere() }
      // A task without work would still add a step, and change the trace of every world.
      if !context.plan.catalog.kinds.isEmpty { group.addTask { try await mistakeKinds() } }
      if context.plan.crowd.isOtherTended { group.addTask { try await tendElsewhere() } }
      group.addTask { try await cheat() }
      if context.plan.sandbox.purchases > 0 { group.addTask { try await buyInSandbox() } }
      if !context.plan.flood.floods.isEmpty { group.addTask { try await flood() } }
      try await group.waitForAll()
    }
  }

  // MARK: users

  private func day(of phone: WorldPhone) async throws {
    var chance = SeededChance(seed: context.seed, purpose: "day \(phone.number)")
    for session in 0..<phone.plan.sessions {
      try await context.sleep(.seconds(Int64(chance.number(below: 200))))
      if session == 1, phone.plan.losesVault { phone.loseVault() }
      try phone.launch()
      if chance.happens(perMille: context.faults.appKilled), let process = phone.run?.process {
        process.kill(atStep: 5 + chance.number(below: 400))
      }
      var later = SeededChance(seed: context.seed, purpose: "afterwards on phone \(phone.number) in session \(session)")
      try await use(phone, &chance, later: &later)
      await close(phone, &chance)
    }
  }

  /// - Parameter later: the random stream for subscriptions and restores alone.
  private func use(
    _ phone: WorldPhone, _ chance: inout SeededChance, later: inout SeededChance
  ) async throws {
    let plan = context.plan.aftermath
    for _ in 0..<(1 + chance.number(below: 3)) {
      guard phone.run != nil else { return }
      if let user = chance.pick(phone.plan.users) { await phone.signIn(user) }
      var product = chance.pick(WorldShop.products)?.id ?? "coins.100"
      var quantity = WorldShop.mayBuySeveral(product) && chance.happens(perMille: 300) ? 2 + chance.number(below: 3) : 1
      if !phone.plan.isAndroid, later.happens(perMille: plan.subscribes) {
        product = later.pick(WorldShop.subscriptions)?.id ?? "plus"
        quantity = 1
      } else if later.happens(perMille: context.plan.habits.buysRights) {
        (product, quantity) = ("premium", 1)
      } else if later.happens(perMille: context.plan.catalog.wantsNewest) {
        (product, quantity) = (WorldShop.newest.id, 1)
      }
      let patience = TimeSpan.seconds(chance.happens(perMille: 300) ? 6 : 240)
      await phone.buy(product, quantity, patience: patience)
      if chance.happens(perMille: 100) { await phone.signOut() }
      if chance.happens(perMille: 200) { _ = await phone.recover(atMost: .minutes(1)) }
      if !phone.plan.isAndroid, later.happens(perMille: plan.restores) { await phone.restore(atMost: .minutes(2)) }
      try await context.sleep(.seconds(Int64(chance.number(below: 60))))
    }
  }

  private func close(_ phone: WorldPhone, _ chance: inout SeededChance) async {
    guard let process = phone.run?.process else { return }
    // The system ends the apps of an unused phone without notice.
    process.kill()
  }

  /// A session without purchases: each user of the phone signs in, and the app does its pending work.
  ///
  /// - Parameter restores: whether each user also taps "restore purchases".
  func visit(_ phone: WorldPhone, restores: Bool = false) async throws {
    try phone.launch()
    for user in phone.plan.users {
      await phone.signIn(user)
      _ = await phone.recover(atMost: .minutes(3))
      if restores, !phone.plan.isAndroid { await phone.restore(atMost: .minutes(3)) }
      try await context.sleep(.minutes(3))
      _ = await phone.recover(atMost: .minutes(3))
    }
    try await context.sleep(.minutes(1))
    phone.run?.process.kill()
  }

  // MARK: kills

  private func killServer(_ server: WorldServer, _ number: Int) async throws {
    var chance = SeededChance(seed: context.seed, purpose: "server kills \(number)")
    for _ in 0..<context.plan.serverKills {
      try await context.sleep(.seconds(Int64(10 + chance.number(below: 200))))
      if context.plan.apple.comparison != nil, chance.happens(perMille: 600) {
        await server.comparison(within: .minutes(3))
      }
      try await kill(server.process, &chance)
      try await restart(server)
    }
  }

  private func killAppStore() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "App Store kills")
    for _ in 0..<context.plan.appStoreKills {
      try await context.sleep(.seconds(Int64(10 + chance.number(below: 300))))
      try await kill(appStore.process, &chance)
      await appStore.start()
    }
  }

  private func killBackend() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "backend kills")
    for _ in 0..<context.plan.backendKills {
      try await context.sleep(.seconds(Int64(10 + chance.number(below: 300))))
      try await kill(backend.process, &chance)
      backend.start()
    }
  }

  func restart(_ server: WorldServer) async throws {
    guard let store = appStore.store, let platform = weChatPay.platform else {
      // The server trusts their root certificate and key. These never change, but only the stores know them.
      try await context.sleep(.seconds(1))
      return try await restart(server)
    }
    try await server.start(trusting: store, platform)
  }

  /// Kills a process before one of its next steps, and keeps it stopped for a while.
  func kill(_ process: SimulatedProcess?, _ chance: inout SeededChance) async throws {
    guard let process else { return }
    process.kill(atStep: process.steps + 1 + chance.number(below: 60))
    try await bury(process, within: .minutes(2), &chance)
  }

  /// Waits until a process with a scheduled kill is dead, kills it after the time limit, and keeps it stopped for a
  /// while.
  func bury(_ process: SimulatedProcess?, within span: TimeSpan, _ chance: inout SeededChance) async throws {
    guard let process else { return }
    for _ in 0..<span.milliseconds / 1000 where !process.isDead { try await context.sleep(.seconds(1)) }
    process.kill()
    try await context.sleep(.milliseconds(Int64(chance.number(below: 20_000))))
  }

  // MARK: network, orders

  private func cutNetwork() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "partitions")
    var pairs: [(WorldPlace, WorldPlace)] = [(.server, .backend), (.appStore, .server)]
    for phone in phones {
      pairs.append((.phone(phone.number), .server))
      pairs.append((.phone(phone.number), .appStore))
    }
    for _ in 0..<context.plan.partitions {
      try await context.sleep(.seconds(Int64(chance.number(below: 200))))
      guard let (a, b) = chance.pick(pairs) else { return }
      context.network.cut(a, b)
      try await context.sleep(.seconds(Int64(5 + chance.number(below: 240))))
      context.network.reconnect(a, b)
    }
  }

  /// Closes orders that may be about to be paid: a closed order still takes the payment.
  private func closeOrders() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "closing")
    let exchange = context.exchange(from: .phone(0), to: .server)
    for _ in 0..<chance.number(below: 4) {
      try await context.sleep(.seconds(Int64(chance.number(below: 250))))
      guard let sheet = chance.pick(phones.flatMap { $0.sheets.suffix(1) }), let user = sheet.users.sorted().first
      else {
        continue
      }
      context.events.record("gateway", "closes the order \(sheet.token)")
      let token = WorldShop.userToken(for: user, at: context.world.now)
      let request = HTTPRequest(
        "POST", WorldShop.serverURL + "/v1/orders/\(sheet.token)/close", fields: ["Authorization": "Bearer \(token)"])
      _ = try? await exchange.send(request, .seconds(10))
    }
  }

  private func refund() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "refunds")
    for _ in 0..<context.plan.refunds {
      try await context.sleep(.seconds(Int64(40 + chance.number(below: 400))))
      let charges = try await appStore.insist { await $0.charges() }.filter { $0.refundedPercentage < 100_000 }
      guard let charge = chance.pick(charges) else { continue }
      let isPart = chance.happens(perMille: 300) && charge.transaction.period == nil
      context.events.record("App Store", "refunds \(isPart ? "a part" : "all") of \(charge.transaction.id)")
      _ = try? await appStore.insist { store in
        try await store.refunds.refund(charge.transaction.id, percentage: isPart ? 40_000 : nil)
      }
    }
  }
}
