import AppStoreSimulator
import DeviceModel
public import SimulationKit

extension WorldSeams {
  /// A world on whose phones the shipped adapters run over the device model, over stand-ins for Apple's frameworks.
  public static var devices: WorldSeams {
    var seams = WorldSeams()
    seams.handsets = { settings in
      var accounts: [AppleAccountIdentifier: AppleAccount] = [:]
      return settings.map { setting in
        let account = accounts[setting.owner.account] ?? AppleAccount(setting.owner.account)
        accounts[setting.owner.account] = account
        return DeviceHandset(setting, account: account)
      }
    }
    return seams
  }
}
