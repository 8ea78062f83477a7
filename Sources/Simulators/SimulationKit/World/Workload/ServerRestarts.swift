import PaymentPrimitives

/// Starts the servers after a kill or a deployment.
struct ServerRestarts: Sendable {
  let context: SimulationContext
  let appStore: WorldAppStore
  let weChatPay: WorldWeChatPay
  let servers: [WorldServer]

  /// Starts a server as soon as both stores run.
  func restart(_ server: WorldServer) async throws {
    guard let store = appStore.store, let platform = weChatPay.platform else {
      // The server trusts their root certificate and key. These never change, but only the stores know them.
      try await context.sleep(.seconds(1))
      return try await restart(server)
    }
    try await server.start(trusting: store, platform)
  }

  /// Kills a server at one of its next steps, and starts another one.
  func kill(_ server: WorldServer, after step: Int) async throws {
    guard let process = server.process else { return }
    process.kill(atStep: process.steps + step)
    for _ in 0..<20 where !process.isDead { try await context.sleep(.seconds(1)) }
    process.kill()
    try await restart(server)
  }

  /// Replaces every server with a new process, which uses the long comparison interval of the time without faults.
  func deploy() async throws {
    for server in servers {
      server.process?.kill()
      try await restart(server)
    }
  }
}
