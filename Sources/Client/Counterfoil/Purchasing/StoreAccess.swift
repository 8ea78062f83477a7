import PaymentPrimitives

/// The calls to the store's queue for which a caller waits. Such calls sometimes never return, so each has a limit.
final class StoreAccess {
  private let queue: any StoreQueue
  private let policies: PurchasingPolicies
  private let tasks: BackgroundTasks
  private let log: SupportLog
  /// The device id, once the queue has reported it.
  private var deviceId: String?
  /// The prices that the store has named in this run.
  private var prices: [StoreProductIdentifier: StatedPrice] = [:]

  init(_ queue: any StoreQueue, policies: PurchasingPolicies, tasks: BackgroundTasks, log: SupportLog) {
    self.queue = queue
    self.policies = policies
    self.tasks = tasks
    self.log = log
  }

  /// Everything that the store's queue holds; nil when it does not answer in time.
  nonisolated(nonsending) func entries() async -> [StoreTransaction]? {
    let queue = self.queue
    let entries = await tasks.asking(policies.storeLimit) { _ -> [StoreTransaction]? in
      try? await queue.unfinished()
    }
    guard let entries = entries ?? nil else {
      log.write(.warning, "client.store.silent")
      return nil
    }
    return entries
  }

  /// Everything that the store's queue holds before a purchase.
  nonisolated(nonsending) func entriesForPurchase() async throws(PurchasingError) -> [StoreTransaction] {
    guard let mayPay = await canMakePayments() else { throw PurchasingError(.storeUnavailable) }
    guard mayPay else { throw PurchasingError(.paymentsDisabled) }
    guard let entries = await entries() else { throw PurchasingError(.storeUnavailable) }
    return entries
  }

  /// The device id with which the server checks Apple's device proof, as the queue reports it; asked for until it is
  /// known.
  nonisolated(nonsending) func deviceVerificationId() async -> String? {
    if let deviceId { return deviceId }
    let queue = self.queue
    deviceId = await tasks.asking(policies.storeLimit) { _ in await queue.deviceVerificationId() } ?? nil
    return deviceId
  }

  /// Newly fetched evidence of a queue entry; nil when the store has none or does not answer in time.
  nonisolated(nonsending) func freshEvidence(of entry: StoreTransaction) async -> String? {
    let queue = self.queue
    let evidence = await tasks.asking(policies.storeLimit) { _ -> String? in
      try? await queue.freshEvidence(of: entry)
    }
    return evidence ?? nil
  }

  /// What the store brings back when the customer asks for a restore; nil when it does not answer in time.
  nonisolated(nonsending) func restore() async -> Result<[StoreTransaction], StoreFailure>? {
    let queue = self.queue
    return await tasks.asking(policies.purchaseLimit) { _ -> Result<[StoreTransaction], StoreFailure> in
      do throws(StoreFailure) {
        return .success(try await queue.restore())
      } catch {
        return .failure(error)
      }
    }
  }

  /// The price of one piece as the store last named it in this run.
  func price(of product: StoreProductIdentifier) -> StatedPrice? { prices[product] }

  /// Whether this device may pay; nil when the store does not answer in time.
  nonisolated(nonsending) func canMakePayments() async -> Bool? {
    let queue = self.queue
    return await tasks.asking(policies.storeLimit) { _ in await queue.canMakePayments() }
  }

  nonisolated(nonsending) func products(_ ids: [StoreProductIdentifier]) async -> ProductListing {
    let queue = self.queue
    let answer = await tasks.asking(policies.productLimit) { _ -> ProductListing in
      do throws(StoreFailure) {
        return .answered(try await queue.products(ids))
      } catch {
        return .unanswered(error)
      }
    }
    let listing = answer ?? .unanswered(nil)
    for product in listing.products { prices[product.id] = product.price }
    switch listing {
    case .unanswered(let failure):
      log.write(.warning, "client.products.unanswered", with: [("why", failure?.explanation ?? "no answer in time")])
    case .answered(let answer) where answer.products.isEmpty:
      log.write(
        .error, "client.products.empty",
        with: [
          ("asked", "\(ids.count)"), ("causes", ProductListing.likelyCauses.map(\.english).joined(separator: " ")),
        ])
    case .answered(let answer) where !answer.unknown.isEmpty:
      log.write(
        .error, "client.products.unknown", with: [("ids", answer.unknown.map(\.text).sorted().joined(separator: " "))])
    case .answered: break
    }
    return listing
  }
}
