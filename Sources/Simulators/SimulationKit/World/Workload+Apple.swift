import AppStoreSimulator

// What befalls the shop's way to Apple's servers.

extension Workload {
  /// Plans what Apple's servers do wrong, or takes it back.
  func spoilAppleServers(_ on: Bool) async throws {
    guard stage.plan.apple.hasKey else { return }
    guard on else { return try await appStore.insist { try await $0.forgetAPIFaults() } }
    for fault in stage.plan.apple.faults {
      let operation = fault.operation.map { " of \($0.rawValue)" } ?? ""
      let count = fault.count.map { "\($0) times" } ?? "always"
      stage.story.tell("App Store", "\(fault.fault.rawValue)\(operation): \(count) after \(fault.skip)")
      try await appStore.insist { try await $0.plan(fault) }
    }
  }

  /// Every server is replaced by a new process, which from then on compares as seldom as it does on quiet days.
  func deploy() async throws {
    for server in servers {
      server.process?.kill()
      try await restart(server)
    }
  }
}
