import PaymentPrimitives
import SimulatorCore
import WeChatPayProtocol

/// WeChat Pay at one moment, and what signs its answers.
///
/// It must be released before the next command: a second reference to the state would force a copy of it.
struct WeChatPaySnapshot {
  let state: WeChatPayState
  /// The simulated time: for orders, refunds and bills.
  let now: Timestamp
  let keys: PlatformKeys
  let dependencies: Dependencies

  /// The clock of WeChat Pay's servers: for signatures. A move of the simulator's clock does not change it.
  var wireTime: Timestamp { dependencies.now() + .seconds(state.behaviours[.clockSkewSeconds]) }

  /// What a query reads like a command.
  var context: CommandContext { CommandContext(state, now: now, dependencies) }

  /// What signs answers and notifications.
  var signatures: PlatformSignatures {
    PlatformSignatures(policy: state.keys, keys: keys, now: now, wireTime: wireTime, dependencies: dependencies)
  }

  var identifiers: [PlatformKeyIdentifier: PlatformKeyName] { keys.identifiers(in: state.keys) }
}
