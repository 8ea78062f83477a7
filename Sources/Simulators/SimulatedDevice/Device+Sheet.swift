import AppStoreSimulator
import PaymentPrimitives
import Synchronization

// The payment sheet: the same for both queues.

extension Device {
  enum SheetEnd: Sendable {
    case charged(SimulatedPurchase)
    /// Charged, but the device reports nothing (rule SK2-1).
    case silent
    /// The app ended before the password, so the sheet closed (rule DEV-3).
    case gone
    case deferred
    case cancelled
    case failed(DeviceFailure)
    /// Failed, because Apple requires consent first. The time is the delay until the customer accepts; nil: never (rule
    /// SK1-14).
    case interrupted(DeviceFailure, consent: TimeSpan?)
  }

  /// Time between password and charge; a kill in between does not stop the charge (rules DEV-4, SK1-16).
  private static let chargeTime = TimeSpan.seconds(1)

  func openSheet(
    _ payment: DevicePayment, _ interface: SimulatedPurchaseRequest.Interface, run: AppRun
  ) async -> SheetEnd {
    // Rule ACC-4.
    guard !account.switches.forbidsPayments else { return .failed(.notAllowed) }
    do throws(DeviceFailure) {
      // Rule SK1-1: an unknown product id fails later, through the queue.
      let bundleId = bundleId
      let known = try await ask { await $0.products(of: bundleId) }
      guard known.contains(where: { $0.id == payment.product }) else { return .failed(.productUnavailable) }
    } catch { return .failed(error) }
    let answer = state.withLock { state in
      state.sheets.append(payment)
      state.sheetsOpen += 1
      return state.answers.isEmpty ? CustomerAnswer.agrees(after: .seconds(2)) : state.answers.removeFirst()
    }
    defer { state.withLock { $0.sheetsOpen -= 1 } }
    try? await dependencies.sleep(answer.thinking)
    // Rule DEV-3.
    guard !run.isDead else { return .gone }
    if case .cancels = answer { return .cancelled }
    let switches = account.switches
    if switches.interruptsPurchases || switches.hasNewTerms || switches.needsPaymentMethod {
      return .interrupted(.unknown(inner: switches.hasNewTerms ? 3038 : 2024), consent: answer.consent)
    }
    if switches.asksToBuy { return .deferred }
    try? await dependencies.sleep(Self.chargeTime)
    let purchase: SimulatedPurchase
    do throws(DeviceFailure) {
      purchase = try await charge(payment, interface)
    } catch { return .failed(error) }
    switch answer {
    case .paysAndConnectionBreaks: return .failed(.unknown(inner: 0))
    case .paysAndSeemsToCancel: return .cancelled
    case .paysAndNothingIsHeard: return .silent
    case .agrees, .cancels, .acceptsTerms, .leavesTermsOpen: return .charged(purchase)
    }
  }

  /// Asks the App Store to charge over the device's link.
  private func charge(
    _ payment: DevicePayment, _ interface: SimulatedPurchaseRequest.Interface
  ) async throws(DeviceFailure) -> SimulatedPurchase {
    let request = request(payment, interface)
    let purchase = try await ask { try await $0.purchases.purchase(request) }
    if purchase.outcome == .charged { state.withLock { $0.charges.append(purchase.transaction.id) } }
    return purchase
  }

  /// A user name that is a UUID becomes the account token; the App Store receives no other user name (rule SK1-9).
  func request(
    _ payment: DevicePayment, _ interface: SimulatedPurchaseRequest.Interface
  ) -> SimulatedPurchaseRequest {
    var request = SimulatedPurchaseRequest(owner: owner, product: payment.product)
    request.quantity = payment.quantity
    request.appAccountToken = payment.userName.flatMap { AppStoreUUID($0) }
    request.deviceVerificationId = identifier
    request.interface = interface
    // Win-back offers are a behaviour setting of the device (rule SK2-25).
    if let signature = payment.offerSignature {
      request.offerIdentifier = payment.offer
      request.offerSignature = signature
    }
    return request
  }

  /// The customer accepts Apple's request. A new payment for the same product and quantity follows, outside the app.
  /// StoreKit 1 has lost the token by then; StoreKit 2 keeps it (rules SK1-14, SK2-14).
  func awaitConsent(
    _ payment: DevicePayment, _ interface: SimulatedPurchaseRequest.Interface, after span: TimeSpan?
  ) {
    guard let span else { return }
    later {
      try? await self.dependencies.sleep(span)
      self.account.accept()
      var again = payment
      if interface == .storeKit1 { again.userName = nil }
      do throws(DeviceFailure) {
        // Rule ACC-3: as long as the sandbox switch is on, the new payment fails as well.
        guard !self.account.switches.interruptsPurchases else { throw .unknown(inner: 3038) }
        let purchase = try await self.charge(again, interface)
        self.surface(self.shown(purchase.transaction, purchase.signedTransaction))
      } catch {
        if interface == .storeKit1 { self.addFailed(again, error) }
      }
    }
  }

  /// A transaction as this device shows it.
  func shown(_ transaction: SimulatedTransaction, _ signed: String) -> DeviceTransaction {
    let behaviours = behaviours
    let isSpoiled = behaviours.spoiled.contains(transaction.id)
    return DeviceTransaction(
      transaction: transaction, signed: isSpoiled ? Self.spoiled(signed) : signed,
      isVerified: !behaviours.cannotVerify && !isSpoiled)
  }

  private static func spoiled(_ signed: String) -> String {
    let parts = signed.split(separator: ".")
    guard parts.count == 3 else { return signed }
    return "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"
  }

  /// Adds a charge that no sheet of this process made to both queues: both show the same App Store data (rule SK2-21).
  func surface(_ shown: DeviceTransaction) {
    let (entry, run, isLost) = state.withLock { state in
      state.keep(shown)
      return (state.addPurchased(shown.transaction), state.run, state.behaviours.losesCallbacks)
    }
    guard let run, !isLost else { return }
    if let entry { run.tell(.updated([entry])) }
    run.yield(shown)
  }
}

extension DeviceState {
  /// Adds a transaction to the set that StoreKit 2 shows as unfinished.
  mutating func keep(_ shown: DeviceTransaction) {
    hidden.remove(shown.transaction.id)
    if let index = cache.firstIndex(where: { $0.transaction.id == shown.transaction.id }) {
      cache[index] = shown
    } else {
      cache.append(shown)
    }
  }

  /// Adds a charge to StoreKit 1's queue, without the user name of the payment.
  ///
  /// - Returns: the new entry; nil when the queue already has an entry for it.
  mutating func addPurchased(_ transaction: SimulatedTransaction) -> QueueEntry? {
    guard !entries.contains(where: { $0.transaction == transaction.id && $0.state == .purchased }) else {
      return nil
    }
    var entry = QueueEntry(
      handle: nextHandle(), state: .purchased, product: transaction.product, quantity: transaction.quantity)
    entry.charge(transaction)
    entries.append(entry)
    return entry
  }
}

extension QueueEntry {
  /// Marks the entry as charged (rule SK1-5).
  mutating func charge(_ transaction: SimulatedTransaction) {
    state = .purchased
    self.transaction = transaction.id
    date = transaction.purchaseDate
    failure = nil
    // Rule SK1-19: a renewal names its first purchase.
    original = transaction.originalId == transaction.id ? nil : transaction.originalId
  }
}
