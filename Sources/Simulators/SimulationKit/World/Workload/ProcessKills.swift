import PaymentPrimitives

/// Kills servers, stores and the backend, and starts them again.
struct ProcessKills: Sendable {
  let context: SimulationContext
  let appStore: WorldAppStore
  let weChatPay: WorldWeChatPay
  let backend: WorldBackend
  let restarts: ServerRestarts

  func killServer(_ server: WorldServer, _ number: Int) async throws {
    var chance = SeededChance(seed: context.seed, purpose: "server kills \(number)")
    for _ in 0..<context.plan.serverKills {
      try await context.sleep(.seconds(Int64(10 + chance.number(below: 200))))
      if context.plan.apple.comparison != nil, chance.happens(perMille: 600) {
        await server.comparison(within: .minutes(3))
      }
      try await kill(server.process, &chance)
      try await restarts.restart(server)
    }
  }

  func killAppStore() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "App Store kills")
    for _ in 0..<context.plan.appStoreKills {
      try await context.sleep(.seconds(Int64(10 + chance.number(below: 300))))
      try await kill(appStore.process, &chance)
      await appStore.start()
    }
  }

  func killBackend() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "backend kills")
    for _ in 0..<context.plan.backendKills {
      try await context.sleep(.seconds(Int64(10 + chance.number(below: 300))))
      try await kill(backend.process, &chance)
      backend.start()
    }
  }

  func killWeChatPay() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "WeChat Pay kills")
    for _ in 0..<context.plan.weChat.weChatPayKills {
      try await context.sleep(.seconds(Int64(10 + chance.number(below: 300))))
      if chance.happens(perMille: 500) {
        // In the middle of a write: an incomplete record must not exist after the restart.
        weChatPay.kill(inLine: 1 + chance.number(below: 4))
        try await stop(weChatPay.process, within: .minutes(3), &chance)
      } else {
        try await kill(weChatPay.process, &chance)
      }
      await weChatPay.start()
    }
  }

  /// Kills a process before one of its next steps, and keeps it stopped for a while.
  private func kill(_ process: SimulatedProcess?, _ chance: inout SeededChance) async throws {
    guard let process else { return }
    process.kill(atStep: process.steps + 1 + chance.number(below: 60))
    try await stop(process, within: .minutes(2), &chance)
  }

  /// Waits until a process with a scheduled kill is dead, kills it after the time limit, and keeps it stopped for a
  /// while.
  private func stop(_ process: SimulatedProcess?, within span: TimeSpan, _ chance: inout SeededChance) async throws {
    guard let process else { return }
    for _ in 0..<span.milliseconds / 1000 where !process.isDead { try await context.sleep(.seconds(1)) }
    process.kill()
    try await context.sleep(.milliseconds(Int64(chance.number(below: 20_000))))
  }
}
