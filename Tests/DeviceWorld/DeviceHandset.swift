import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import CounterfoilStoreKit
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Synchronization

/// A phone of a world over the simulated device: the app on it runs the shipped adapters for Apple's queue and
/// Keychain.
final class DeviceHandset: WorldHandset {
  private struct State {
    var run: AppRun?
    var runs = 0
    var chance: SeededChance
    var isHealed = false
    var spoiled: Set<TransactionIdentifier> = []
  }

  private let setting: WorldHandsetSetting
  private let device: Device
  private let system: SimulatedProcess
  private let state: Mutex<State>

  init(_ setting: WorldHandsetSetting, account: AppleAccount) {
    self.setting = setting
    let system = setting.makeProcess("phone \(setting.number)'s system")
    let device = Device(
      "phone \(setting.number)", account: account, over: setting.link, approvals: setting.approvals,
      bundleId: setting.owner.bundleId, dependencies: system.dependencies())
    (self.system, self.device) = (system, device)
    state = Mutex(State(chance: SeededChance(seed: setting.seed, purpose: "handset \(setting.number)")))
    system.spawn { await device.run() }
  }

  var identifier: AppStoreUUID { device.identifier }
  var hasOpenSheet: Bool { device.isInSheet }
  var holdsCharge: Bool { !Set(device.charges).subtracting(device.finishes).isEmpty }

  var spoiled: Set<TransactionIdentifier> { state.withLock { $0.spoiled } }

  func waits(for product: StoreProductIdentifier) -> Bool {
    device.entries.contains { $0.state == .deferred && $0.product == product }
  }

  private func happens(_ perMille: Int) -> Bool { state.withLock { $0.chance.happens(perMille: perMille) } }
  private func number(below bound: Int) -> Int { state.withLock { $0.chance.number(below: bound) } }

  // MARK: runs of the app

  func launch(in process: SimulatedProcess, _ dependencies: Dependencies) -> WorldAppRun {
    if !state.withLock({ $0.isHealed }) { drawDay() }
    let run = device.launch { process.spawn($0) }
    state.withLock { state in
      state.run = run
      state.runs += 1
    }
    let isStoreKit1 = setting.isStoreKit1
    let queue: any StoreQueue = AppRun.$current.withValue(run) {
      let start = AdapterStart { run.start($0) }
      return isStoreKit1
        ? StoreKit1Queue(dependencies: dependencies, start: start)
        : StoreKit2Queue(dependencies: dependencies, start: start)
    }
    return WorldAppRun(queue: queue, vault: KeychainVault()) { run.start($0) }
  }

  func appWasKilled() {
    let run = state.withLock { state in
      defer { state.run = nil }
      return state.run
    }
    run?.end()
  }

  func comeToForeground() { device.comeToForeground() }

  func vaultContents() async throws(VaultFailure) -> VaultContents {
    // Reads the Keychain as the app would, while no app runs.
    let run = device.launch { [system] in system.spawn($0) }
    defer { run.end() }
    let read = await AppRun.$current.withValue(run) { () -> Result<VaultContents, VaultFailure> in
      do throws(VaultFailure) { return .success(try await KeychainVault().load()) } catch { return .failure(error) }
    }
    return try read.get()
  }

  // MARK: what goes wrong

  func loseVault() {
    device.keychain.isLocked = false
    device.keychain.failWrites(0)
    _ = device.keychain.write { $0 = [:] }
  }

  func heal() {
    state.withLock { $0.isHealed = true }
    device.behaviours = DeviceBehaviours()
    device.keychain.isLocked = false
    device.keychain.failWrites(0)
    device.account.switches = AppleAccount.Switches()
  }

  /// The behaviour of this phone until the next start of the app.
  private func drawDay() {
    let faults = setting.faults()
    if happens(faults.reinstalled), state.withLock({ $0.runs }) > 0 {
      setting.record("the app is removed and installed again", .reinstalled)
      device.uninstall()
    }
    var behaviours = DeviceBehaviours()
    if happens(faults.odd) {
      let isOn = (0..<7).map { _ in happens(300) }
      behaviours.staysSilentAtLaunch = isOn[0]
      behaviours.keepsUserNames = isOn[1]
      behaviours.echoes = isOn[2] ? 1 + number(below: 3) : 0
      behaviours.cannotVerify = isOn[3]
      behaviours.deliversInterruptedTogether = isOn[4]
      behaviours.failsSecondPayment = isOn[5]
      behaviours.queueIsMute = isOn[6] && happens(200)
      setting.record("the device is odd: \(isOn.map { $0 ? "1" : "0" }.joined())", .oddDevice)
      if happens(200), let last = device.charges.last {
        behaviours.spoiled = [last]
        state.withLock { _ = $0.spoiled.insert(last) }
        setting.record("the evidence of \(last) is spoiled", .evidenceSpoiled)
      }
    }
    behaviours.losesCallbacks = happens(faults.callbackLost)
    device.behaviours = behaviours
    if happens(faults.keychainFails) { troubleKeychain() }
  }

  private func troubleKeychain() {
    guard happens(500) else {
      setting.record("the Keychain does not write", .keychainFailed)
      return device.keychain.failWrites(1 + number(below: 4))
    }
    setting.record("the Keychain is locked", .keychainFailed)
    device.keychain.isLocked = true
    let span = TimeSpan.seconds(Int64(1 + number(below: 60)))
    let (device, dependencies) = (device, system.dependencies())
    system.spawn {
      try? await dependencies.sleep(span)
      device.keychain.isLocked = false
    }
  }

  // MARK: the customer

  func willOpenSheet(_ payment: StorePayment) {
    let faults = setting.faults()
    var switches = AppleAccount.Switches()
    var answer = CustomerAnswer.agrees(after: .milliseconds(Int64(500 + number(below: 20_000))))
    if happens(faults.customerCancels) {
      setting.record("the customer will give up on \(payment.product)", .customerCancelled)
      answer = .cancels(after: .seconds(Int64(1 + number(below: 20))))
    } else if happens(faults.approvalNeeded) {
      setting.record("\(payment.product) needs a parent's leave", nil)
      switches.asksToBuy = true
      askParents()
    } else if happens(faults.interrupted) {
      answer = interrupt(&switches)
    } else if happens(faults.failsThoughCharged) {
      answer = lie()
    }
    device.account.switches = switches
    device.nextAnswers(answer)
  }

  private func interrupt(_ switches: inout AppleAccount.Switches) -> CustomerAnswer {
    setting.record("Apple wants something first", .interrupted)
    if happens(300) {
      setting.mark(.interruptedForGood)
      switches.interruptsPurchases = true
    }
    if happens(500) { switches.hasNewTerms = true } else { switches.needsPaymentMethod = true }
    guard happens(800) else { return .leavesTermsOpen }
    let span = TimeSpan.seconds(Int64(1 + number(below: happens(300) ? 7200 : 120)))
    // The world waits for it.
    setting.appoint(span) {}
    return .acceptsTerms(after: span)
  }

  private func lie() -> CustomerAnswer {
    switch number(below: 3) {
    case 0:
      setting.record("the store will charge, and the device says that it failed", .failedThoughCharged)
      return .paysAndConnectionBreaks
    case 1:
      setting.record("the store will charge, and the device says that the customer gave up", .cancelledThoughCharged)
      return .paysAndSeemsToCancel
    default:
      setting.record("the store will charge, and the device says nothing", .silentThoughCharged)
      return .paysAndNothingIsHeard
    }
  }

  /// The parents may answer hours later, even while the phone is off.
  private func askParents() {
    let hours = Int64(1 + number(below: happens(200) ? 72 : 6))
    guard happens(800) else { return }
    let isApproved = happens(750)
    let (setting, account) = (setting, device.account)
    setting.appoint(.hours(hours)) {
      guard account.answerApproval(isApproved) else { return }
      setting.record("the parents \(isApproved ? "approve" : "refuse")", isApproved ? .approvedLater : .refusedByParent)
    }
  }
}
