import AppStoreSimulator
import PaymentPrimitives
import Synchronization

/// The payment sheet, the same for both queues, and what the customer does with it.
final class PaymentSheets: Sendable {
  private struct State {
    var answers: [CustomerAnswer] = []
    var payments: [DevicePayment] = []
    var openCount = 0
  }

  private let dependencies: Dependencies
  private let settings: DeviceSettings
  private let store: AppStoreAccess
  private let state = Mutex(State())

  init(dependencies: Dependencies, settings: DeviceSettings, store: AppStoreAccess) {
    self.dependencies = dependencies
    self.settings = settings
    self.store = store
  }

  /// Sets what the customer does with the next sheets; the customer agrees to sheets without an answer.
  func nextAnswers(_ answers: [CustomerAnswer]) { state.withLock { $0.answers += answers } }

  /// Every payment for which a sheet was opened.
  var payments: [DevicePayment] { state.withLock { $0.payments } }

  /// Whether a payment sheet is open.
  var isOpen: Bool { state.withLock { $0.openCount > 0 } }

  /// Time between password and charge; a kill in between does not stop the charge (rules DEV-4, SK1-16).
  private static let chargeTime = TimeSpan.seconds(1)

  func open(
    _ payment: DevicePayment, _ interface: SimulatedPurchaseRequest.Interface, run: AppRun
  ) async -> SheetEnd {
    // Rule ACC-4.
    guard !settings.account.switches.forbidsPayments else { return .failed(.notAllowed) }
    guard !settings.behaviours.isSignedOut else { return .failed(.signedOut) }
    do throws(DeviceFailure) {
      // Rule SK1-1: an unknown product id fails later, through the queue.
      let bundleId = store.bundleId
      let known = try await store.ask { await $0.products(of: bundleId) }
      guard known.contains(where: { $0.id == payment.product }) else { return .failed(.productUnavailable) }
    } catch { return .failed(error) }
    let answer = state.withLock { state in
      state.payments.append(payment)
      state.openCount += 1
      return state.answers.isEmpty ? CustomerAnswer.agrees(after: .seconds(2)) : state.answers.removeFirst()
    }
    defer { state.withLock { $0.openCount -= 1 } }
    try? await dependencies.sleep(answer.thinking)
    // Rule DEV-3.
    guard !run.isDead else { return .gone }
    if case .cancels = answer { return .cancelled }
    let switches = settings.account.switches
    if switches.interruptsPurchases || switches.hasNewTerms || switches.needsPaymentMethod {
      return .interrupted(.unknown(inner: switches.hasNewTerms ? 3038 : 2024), consent: answer.consent)
    }
    if switches.asksToBuy { return .deferred }
    try? await dependencies.sleep(Self.chargeTime)
    let purchase: SimulatedPurchase
    do throws(DeviceFailure) {
      purchase = try await store.charge(payment, interface)
    } catch { return .failed(error) }
    switch answer {
    case .paysAndConnectionBreaks: return .failed(.unknown(inner: 0))
    case .paysAndSeemsToCancel: return .cancelled
    case .paysAndNothingIsHeard: return .silent
    case .agrees, .cancels, .acceptsTerms, .leavesTermsOpen: return .charged(purchase)
    }
  }
}
