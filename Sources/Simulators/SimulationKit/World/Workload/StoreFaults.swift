import AppStoreSimulator
import SimulatorCore
import WeChatPaySimulator

/// Faults on the server's connections to Apple's servers and WeChat Pay.
struct StoreFaults: Sendable {
  let context: SimulationContext
  let appStore: WorldAppStore
  let weChatPay: WorldWeChatPay

  /// Plans the faults of Apple's servers, or removes them.
  func setAppleFaults(_ on: Bool) async throws {
    guard context.plan.apple.hasKey else { return }
    guard on else { return try await appStore.insist { try await $0.apiSettings.forgetFaults() } }
    for fault in context.plan.apple.faults {
      let operation = fault.operation.map { " of \($0.rawValue)" } ?? ""
      let count = fault.count.map { "\($0) times" } ?? "always"
      context.events.record("App Store", "\(fault.fault.rawValue)\(operation): \(count) after \(fault.skip)")
      try await appStore.insist { try await $0.apiSettings.plan(fault) }
    }
  }

  /// Turns WeChat Pay's faulty behaviour settings on, or turns off those that end with the faults.
  func setWeChatPayFaults(_ on: Bool) async throws {
    for behaviour in context.plan.weChat.behaviours where on || behaviour.heals {
      if on { context.events.record("WeChat Pay", "\(behaviour.behaviour.rawValue) = \(behaviour.value)") }
      try await weChatPay.insist { try await $0.setBehaviour(behaviour.behaviour, to: on ? behaviour.value : 0) }
    }
    guard on else { return try await weChatPay.insist { try await $0.control.forgetFaults() } }
    for fault in context.plan.weChat.faults {
      let operation = fault.operation.map { " of \($0.rawValue)" } ?? ""
      context.events.record("WeChat Pay", "\(fault.fault.rawValue)\(operation): \(fault.percent) of 100")
      try await weChatPay.insist { try await $0.control.plan(fault) }
    }
  }
}
