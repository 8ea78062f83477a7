import AppStoreSimulator

// Faults on the server's connection to Apple's servers.

extension Workload {
  /// Plans the faults of Apple's servers, or removes them.
  func spoilAppleServers(_ on: Bool) async throws {
    guard context.plan.apple.hasKey else { return }
    guard on else { return try await appStore.insist { try await $0.apiSettings.forgetFaults() } }
    for fault in context.plan.apple.faults {
      let operation = fault.operation.map { " of \($0.rawValue)" } ?? ""
      let count = fault.count.map { "\($0) times" } ?? "always"
      context.events.record("App Store", "\(fault.fault.rawValue)\(operation): \(count) after \(fault.skip)")
      try await appStore.insist { try await $0.apiSettings.plan(fault) }
    }
  }

  /// Replaces every server with a new process, which uses the long comparison interval of the time without faults.
  func deploy() async throws {
    for server in servers {
      server.process?.kill()
      try await restart(server)
    }
  }
}
