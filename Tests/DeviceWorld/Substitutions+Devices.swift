import AppStoreSimulator
import SimulatedDevice
package import SimulationKit

extension Substitutions {
  /// A world with phones that run the shipped adapters over the simulated device and the shims of Apple's frameworks.
  package static var devices: Substitutions {
    var substitutions = Substitutions()
    substitutions.handsets = { settings in
      var accounts: [AppleAccountIdentifier: AppleAccount] = [:]
      return settings.map { setting in
        let account = accounts[setting.owner.account] ?? AppleAccount(setting.owner.account)
        accounts[setting.owner.account] = account
        return DeviceHandset(setting, account: account)
      }
    }
    return substitutions
  }
}
