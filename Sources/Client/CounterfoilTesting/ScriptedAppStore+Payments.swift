public import Counterfoil
public import PaymentPrimitives
import StrictJSON
import Synchronization

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ScriptedAppStore {
  // MARK: payments

  /// Opens a sheet; nil when it returns at once.
  func add(_ payment: StorePayment) throws(StoreFailure) -> Bool {
    let (behaviour, handle, process) = state.withLock { state in
      state.added.append(payment)
      state.count += 1
      let behaviour = state.behaviours.isEmpty ? Behaviour.buys : state.behaviours.removeFirst()
      return (behaviour, "entry-\(state.count)", state.process)
    }
    let cancelled = StoreFailure(code: 2, isCancelled: true, explanation: "cancelled")
    let failed = StoreFailure(code: 0, explanation: "unknown error")
    switch behaviour {
    case .buys, .buysSilently, .buysIfAlive:
      clock.after(.seconds(1)) {
        if case .buysIfAlive = behaviour, !self.isAlive { return }
        let entry = self.charge(payment, handle, token: payment.token, by: process)
        if case .buysSilently = behaviour { return }
        self.clock.after(.seconds(1)) { self.deliver(entry) }
      }
    case .cancels:
      clock.after(.seconds(1)) { self.fail(payment, handle, failure: cancelled) }
    case .fails(let failure):
      clock.after(.seconds(1)) { self.fail(payment, handle, failure: failure) }
    case .throwsFailure:
      throw failed
    case .failsThenBuys(let after):
      clock.after(.seconds(1)) { self.fail(payment, handle, failure: failed) }
      clock.after(after) { self.deliver(self.charge(payment, handle + "b", token: nil, by: process)) }
    case .chargesThenSaysFailed(let after):
      clock.after(.seconds(1)) { self.fail(payment, handle, failure: failed) }
      clock.after(after) { self.deliver(self.charge(payment, handle + "b", token: payment.token, by: process)) }
    case .isApproved(let after):
      clock.after(.seconds(1)) {
        var entry = StoreTransaction(handle: handle, state: .deferred, quantity: payment.quantity)
        entry.product = payment.product
        entry.token = payment.token
        self.put(entry)
        self.deliver(entry)
      }
      clock.after(after) {
        self.remove(handle)
        self.deliver(self.charge(payment, handle, token: payment.token, by: process))
      }
    case .hangs:
      return true
    }
    return false
  }

  /// Makes a charge that did not come from a sheet of this app: an offer code, a renewal, an earlier installation.
  @discardableResult
  public func chargeOutside(
    _ product: StoreProductIdentifier, token: OrderIdentifier? = nil, quantity: Int = 1,
    isRenewal: Bool = false
  ) -> TransactionIdentifier {
    let (handle, process) = state.withLock { state in
      state.count += 1
      return ("entry-\(state.count)", state.process)
    }
    let payment = StorePayment(
      product: product, quantity: quantity, token: token ?? OrderIdentifier(high: 0, low: 0))
    var entry = charge(payment, handle, token: token, by: process)
    if isRenewal {
      entry.isRenewal = true
      let renewal = entry
      state.withLock { state in
        for index in state.entries.indices where state.entries[index].handle == handle {
          state.entries[index] = renewal
        }
      }
    }
    deliver(entry)
    return entry.id ?? ""
  }

  private var isAlive: Bool { state.withLock { $0.isAlive } }

  private func charge(
    _ payment: StorePayment, _ handle: String, token: OrderIdentifier?, by process: Int
  ) -> StoreTransaction {
    let (charge, entry) = state.withLock { state in
      let id = TransactionIdentifier("\(1000 + state.charges.count)")
      let isSameRun = state.isAlive && state.process == process
      let kept = state.losesTokens && !isSameRun ? nil : token
      let charge = Self.makeCharge(id, payment.product, quantity: payment.quantity, token: kept, date: clock.now)
      state.charges.append(charge)
      var entry = StoreTransaction(handle: handle, state: .purchased, quantity: payment.quantity)
      entry.id = id
      entry.product = payment.product
      entry.purchaseDate = charge.date
      entry.token = kept
      entry.evidence = charge.evidence
      state.entries.append(entry)
      return (charge, entry)
    }
    notify(charge)
    return entry
  }

  private static func makeCharge(
    _ id: TransactionIdentifier, _ product: StoreProductIdentifier, quantity: Int,
    token: OrderIdentifier?, date: Timestamp
  ) -> Charge {
    let evidence = JSONValue.members([
      ("transactionId", .string(id.text)), ("productId", .string(product.text)),
      ("quantity", .integer(quantity)), ("purchaseDate", .string(date.iso8601)),
      ("appAccountToken", token.map { .string($0.appAccountToken) }),
    ]).text
    return Charge(
      id: id, product: product, quantity: quantity, token: token, date: date, evidence: evidence)
  }

  static func withoutToken(_ charge: Charge) -> Charge {
    makeCharge(charge.id, charge.product, quantity: charge.quantity, token: nil, date: charge.date)
  }

  private func fail(_ payment: StorePayment, _ handle: String, failure: StoreFailure) {
    var entry = StoreTransaction(handle: handle, state: .failed(failure), quantity: payment.quantity)
    entry.product = payment.product
    entry.token = payment.token
    put(entry)
    deliver(entry)
  }

  private func put(_ entry: StoreTransaction) { state.withLock { $0.entries.append(entry) } }
  private func remove(_ handle: String) {
    state.withLock { state in state.entries.removeAll { $0.handle == handle } }
  }

  /// Reports an entry to the app, if it runs and listens; repeated reports are possible, as with real stores.
  public func deliver(_ entry: StoreTransaction) {
    let listener = state.withLock { $0.listener }
    listener?.yield(entry)
  }

  // MARK: finishing

  func finish(_ transaction: StoreTransaction) throws(StoreFailure) {
    let id = transaction.id
    if transaction.isEvidence, let id, !isDurable(id) {
      state.withLock { $0.violations.append("\(id) was finished before the server had it") }
    }
    let fails = state.withLock { state in
      guard state.finishesThatFail > 0 else { return false }
      state.finishesThatFail -= 1
      return true
    }
    guard !fails else { throw StoreFailure(explanation: "no network") }
    state.withLock { state in
      if let id { state.finishes.append(id) }
      guard let index = state.entries.firstIndex(where: { $0.handle == transaction.handle }) else { return }
      let entry = state.entries.remove(at: index)
      guard state.finishesThatDoNotStick > 0, entry.isEvidence else { return }
      state.finishesThatDoNotStick -= 1
      state.unstuck.append(entry)
    }
  }
}
