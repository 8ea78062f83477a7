import AppStoreSimulator
import Counterfoil
import PaymentPrimitives

/// A phone without an App Store: it has no payment queue, and its vault is a folder.
final class AndroidHandset: WorldHandset {
  private let system: SimulatedProcess
  private let disk = WorldDisk()
  let identifier: AppStoreUUID

  init(_ number: Int, _ context: SimulationContext) {
    identifier = AppStoreUUID(OrderIdentifier(high: 0x4000, low: 1 << 63 | UInt64(number)))
    system = context.process("phone \(number)'s disk")
  }

  var hasOpenSheet: Bool { false }
  var holdsCharge: Bool { false }
  var spoiled: Set<TransactionIdentifier> { [] }
  func waits(for product: StoreProductIdentifier) -> Bool { false }

  func launch(in process: SimulatedProcess, _ dependencies: Dependencies) -> WorldAppRun {
    WorldAppRun(queue: AbsentStoreQueue(), vault: FileVault(disk.folder(dependencies))) { process.spawn($0) }
  }

  func appWasKilled() {}
  func comeToForeground() {}
  func willOpenSheet(_ payment: StorePayment) {}
  func loseVault() { disk.lose() }
  func heal() {}

  func vaultContents() async throws(VaultFailure) -> VaultContents {
    try await FileVault(disk.folder(system.dependencies())).load()
  }
}
