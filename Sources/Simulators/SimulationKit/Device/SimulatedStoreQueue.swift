import AppStoreProtocol
package import AppStoreSimulator
package import Counterfoil
package import PaymentPrimitives

/// StoreKit 2's queue on a simulated device, for one run of the app: the client library's view of the simulated App
/// Store.
///
/// The App Store keeps unfinished transactions, so a new queue after a relaunch shows them again. Information that
/// came only in a callback is lost with the run (SK2-7).
package actor SimulatedStoreQueue: StoreQueue {
  private let link: any AppStoreLink
  private let owner: AppOwner
  private let device: AppStoreUUID
  private let tellsOfPurchases: Bool
  private let interface: SimulatedPurchaseRequest.Interface
  private let receipt: SimulatedReceiptFile?
  private var listeners: [AsyncStream<StoreTransaction>.Continuation] = []

  /// The queue of a run of the app.
  ///
  /// - Parameters:
  ///   - owner: the Apple account and the app.
  ///   - device: the device's own UUID, which identifies its evidence.
  ///   - tellsOfPurchases: false for a phone on which the purchased callback never arrives.
  ///   - interface: the StoreKit version of the app; StoreKit 1 delivers an unfinished purchase again instead of
  ///     selling a second piece (S3).
  ///   - receipt: the device's app receipt, which is then the evidence of all transactions; nil for signed ones.
  package init(
    _ link: any AppStoreLink, owner: AppOwner, device: AppStoreUUID, tellsOfPurchases: Bool = true,
    interface: SimulatedPurchaseRequest.Interface = .storeKit2, receipt: SimulatedReceiptFile? = nil
  ) {
    self.link = link
    self.owner = owner
    self.device = device
    self.tellsOfPurchases = tellsOfPurchases
    self.interface = interface
    self.receipt = receipt
  }

  /// Always true: no simulated device is restricted.
  package func canMakePayments() async -> Bool { true }

  package func deviceVerificationId() async -> String? { device.text }

  /// The products of the simulated App Store; they have no localized names and prices.
  package func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    let owner = owner
    let sold = try await ask { store in await store.products(of: owner.bundleId) }
    let known = Set(sold.map(\.id))
    return StoreProducts(
      products: ids.filter(known.contains).map { StoreProduct(id: $0, name: $0.text, displayPrice: "") },
      unknown: ids.filter { !known.contains($0) })
  }

  /// Everything of the account that can be restored; this excludes consumables (SK1-18).
  package func restore() async throws(StoreFailure) -> [StoreTransaction] {
    let (owner, device) = (owner, device)
    let bought = try await ask { store in try await store.purchases.restore(of: owner, for: device) }
    await writeReceipt(for: bought.map(\.transaction))
    return bought.map {
      var entry = entry($0.transaction, signed: $0.signedTransaction)
      if entry.state == .purchased { entry.state = .restored }
      return entry
    }
  }

  /// The transactions that are unfinished now, then those of this run's purchases.
  package func updates() async -> AsyncStream<StoreTransaction> {
    let (stream, continuation) = AsyncStream.makeStream(of: StoreTransaction.self)
    listeners.append(continuation)
    for transaction in (try? await unfinished()) ?? [] { continuation.yield(transaction) }
    return stream
  }

  /// The transactions that are not finished at the App Store.
  package func unfinished() async throws(StoreFailure) -> [StoreTransaction] {
    let (owner, device) = (owner, device)
    let entries = try await ask { store in
      try await store.unfinishedTransactions(of: owner, for: device)
    }
    await writeReceipt(for: entries.map(\.transaction))
    return entries.map { entry($0.transaction, signed: $0.signedTransaction) }
  }

  /// The app receipt as the App Store writes it now; a signed transaction is always current.
  package func freshEvidence(of transaction: StoreTransaction) async throws(StoreFailure) -> String? {
    guard let receipt else { return transaction.evidence }
    let owner = owner
    receipt.refresh(try await ask { store in try await store.appReceipt(of: owner) })
    return receipt.content
  }

  /// Buys at the simulated App Store; the customer agrees at once.
  package func add(_ payment: StorePayment) async throws(StoreFailure) {
    var request = SimulatedPurchaseRequest(owner: owner, product: payment.product)
    request.quantity = payment.quantity
    request.appAccountToken = AppStoreUUID(payment.token)
    request.deviceVerificationId = device
    request.interface = interface
    let asked = request
    let purchase = try await ask { store in try await store.purchases.purchase(asked) }
    await writeReceipt(for: [purchase.transaction])
    guard tellsOfPurchases else { return }
    let entry = entry(purchase.transaction, signed: purchase.signedTransaction)
    for listener in listeners { listener.yield(entry) }
  }

  /// Tells the App Store that the device has finished the transaction.
  package func finish(_ transaction: StoreTransaction) async throws(StoreFailure) {
    guard let id = transaction.id else { return }
    let owner = owner
    try await ask { store in try await store.purchases.finish(id, of: owner) }
  }

  private func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws(StoreFailure) -> Answer {
    do { return try await link.reach(body) } catch let refusal as CodedError<SimulatorErrorCode> {
      throw StoreFailure(explanation: refusal.code.rawValue)
    } catch { throw StoreFailure(explanation: "the store cannot be reached") }
  }

  /// Writes a receipt with the new purchase, if the App Store can be reached and the file does not lag.
  private func writeReceipt(for transactions: [SimulatedTransaction]) async {
    let owner = owner
    guard let receipt, !transactions.isEmpty,
      let fresh = try? await ask({ store in try await store.appReceipt(of: owner) })
    else { return }
    receipt.write(fresh)
  }

  private func entry(_ transaction: SimulatedTransaction, signed: String) -> StoreTransaction {
    var entry = StoreTransaction(
      handle: transaction.id.text,
      state: transaction.revocation.map { .revoked(at: $0.date) } ?? .purchased,
      quantity: transaction.quantity)
    entry.id = transaction.id
    entry.product = transaction.product
    entry.purchaseDate = transaction.purchaseDate
    entry.token = transaction.appAccountToken.flatMap { OrderIdentifier($0.text) }
    entry.evidence = receipt == nil ? signed : receipt?.content
    return entry
  }
}
