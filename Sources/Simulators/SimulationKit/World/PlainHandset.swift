import AppStoreSimulator
import Counterfoil
import PaymentPrimitives
import Synchronization

/// A phone with our own queue over the simulated App Store and a folder as its vault. The command-line program uses
/// it, because it contains no Apple frameworks.
final class PlainHandset: WorldHandset {
  private let setting: WorldHandsetSetting
  private let system: SimulatedProcess
  private let disk = WorldDisk()
  private let queue = Mutex<WorldQueue?>(nil)
  private let receipt: SimulatedReceiptFile?

  init(_ setting: WorldHandsetSetting) {
    self.setting = setting
    let chance = WorldChoice(SeededChance(seed: setting.seed, purpose: "receipt \(setting.number)"))
    receipt =
      setting.sendsReceipts
      ? SimulatedReceiptFile {
        guard chance.number(below: 1000) < setting.faults().receiptLags else { return false }
        setting.record("the receipt lags behind the queue", .receiptLagged)
        return true
      } : nil
    system = setting.makeProcess("phone \(setting.number)'s disk")
  }

  var identifier: AppStoreUUID { setting.identifier }
  var hasOpenSheet: Bool { queue.withLock { $0?.hasOpenSheet ?? false } }
  var holdsCharge: Bool { queue.withLock { $0?.holdsCharge ?? false } }

  var spoiled: Set<TransactionIdentifier> { [] }
  /// Always false: this queue has no object for a pending purchase.
  func waits(for product: StoreProductIdentifier) -> Bool { false }

  func launch(in process: SimulatedProcess, _ dependencies: Dependencies) -> WorldAppRun {
    let queue = WorldQueue(setting, process, receipt: receipt)
    self.queue.withLock { $0 = queue }
    return WorldAppRun(queue: queue, vault: FileVault(disk.folder(dependencies))) { process.spawn($0) }
  }

  func appWasKilled() { queue.withLock { $0 = nil } }
  func comeToForeground() {}
  func willOpenSheet(_ payment: StorePayment) {}
  func loseVault() {
    disk.lose()
    receipt?.lose()
  }

  func heal() {}

  func vaultContents() async throws(VaultFailure) -> VaultContents {
    try await FileVault(disk.folder(system.dependencies())).load()
  }
}
