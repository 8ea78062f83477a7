import Synchronization

/// The Apple account of a device, and its behaviour settings.
final class DeviceSettings: Sendable {
  private let state: Mutex<(account: AppleAccount, behaviours: DeviceBehaviours)>

  init(account: AppleAccount) { state = Mutex((account, DeviceBehaviours())) }

  /// The Apple account that is signed in.
  var account: AppleAccount {
    get { state.withLock { $0.account } }
    set { state.withLock { $0.account = newValue } }
  }

  var behaviours: DeviceBehaviours {
    get { state.withLock { $0.behaviours } }
    set { state.withLock { $0.behaviours = newValue } }
  }
}
