import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentPrimitives
import PaymentServer
import SimulationKit

/// A customer with a phone: the client library over a simulated device, with its vault in a separate folder.
struct Shopper: Sendable {
  let user: UserIdentifier
  let phone: Phone
  let server: String
  let tokenSecret: Secret
  let exchange: HTTPExchange
  let dependencies: Dependencies

  /// The state that outlives a run of the app: the Apple account, the device, the vault.
  struct Phone: Sendable {
    let owner: AppOwner
    let device: AppStoreUUID
    let vault: VaultFolder
  }

  /// One run of the app on this phone.
  ///
  /// - Parameter hearsOfPurchases: false for a run in which the purchased callback never comes.
  func launch(
    at store: SimulatedAppStore, hearsOfPurchases: Bool = true
  ) throws -> Purchasing {
    let (user, secret, dependencies) = (user, tokenSecret, dependencies)
    var configuration = PurchasingConfiguration(server: server, app: SimulatedProfile.app) { _ in
      TokenCommand.issue(
        for: user.text, of: SimulatedProfile.app, kid: SimulatedProfile.tokenKey, secret,
        at: dependencies.now(), for: .minutes(10))
    }
    configuration.platform = "ios"
    return try Purchasing(
      configuration,
      queue: SimulatedStoreQueue(
        DirectAppStoreLink(store), owner: phone.owner, device: phone.device,
        tellsOfPurchases: hearsOfPurchases),
      vault: FileVault(phone.vault), exchange: exchange, dependencies: dependencies)
  }

  /// Runs the app while the body uses it.
  func use<Answer: Sendable>(
    _ app: Purchasing, _ body: @escaping @Sendable (Purchasing) async throws -> Answer
  ) async throws -> Answer {
    try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask {
        await app.run()
        return nil
      }
      group.addTask {
        await app.setUser(user)
        return try await body(app)
      }
      defer { group.cancelAll() }
      while let answer = try await group.next() {
        if let answer { return answer }
      }
      throw CommandFailure("the app ended before its purchase did.")
    }
  }
}

extension Shopper.Phone {
  /// A phone with its vault in a folder.
  static func with(
    account: AppleAccountIdentifier, folder: String, _ platform: Platform
  ) throws -> Shopper.Phone {
    try platform.files.makeFolder(folder)
    let files = platform.files
    let random = platform.dependencies.randomBytes(10)
    return Shopper.Phone(
      owner: AppOwner(account: account, bundleId: SimulatedProfile.identity.bundleId),
      device: AppStoreUUID(OrderIdentifier(version7At: platform.dependencies.now(), random: random)),
      vault: VaultFolder(
        list: { try files.names(folder) },
        read: { name, bytesMax in try files.read(folder + "/" + name, bytesMax) },
        replace: { name, bytes in try files.replace(folder + "/" + name, bytes) },
        remove: { name in try files.remove(folder + "/" + name) }))
  }
}
