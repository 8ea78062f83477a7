public import Counterfoil
public import PaymentPrimitives
import Synchronization

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ScriptedAppStore {
  /// The store's answer to a request for products.
  public enum ProductAnswer: Sendable {
    /// It sells every product with an id that begins with `com.example.coins`.
    case all
    /// It answers that it sells nothing.
    case nothing
    /// It fails.
    case fails
    /// It never answers.
    case hangs
  }

  /// Sets the store's answer to requests for products.
  public func answerProducts(_ answer: ProductAnswer) { state.withLock { $0.productAnswer = answer } }
  /// Gives a product a promotional offer, as the store describes it.
  public func offer(_ offer: SubscriptionOffer, with product: StoreProductIdentifier) {
    state.withLock { $0.offers[product] = offer }
  }
  /// Sets the entries of the next restores; nil makes them fail.
  public func restoreBrings(_ entries: [StoreTransaction]?) { state.withLock { $0.restorable = entries } }
  /// Sets the failure of the next restores; nil: they succeed.
  public func failRestores(_ failure: StoreFailure?) { state.withLock { $0.restoreFailure = failure } }

  /// Begins a purchase in the App Store, as a customer does.
  public func promote(_ payment: PromotedPayment) { _ = state.withLock { $0.promoter }?.yield(payment) }

  func promotions() -> AsyncStream<PromotedPayment> {
    let (stream, continuation) = AsyncStream.makeStream(of: PromotedPayment.self)
    state.withLock { $0.promoter = continuation }
    return stream
  }

  /// Renews a subscription, as the store does automatically.
  @discardableResult
  public func renew(_ product: StoreProductIdentifier) -> TransactionIdentifier {
    chargeOutside(product, isRenewal: true)
  }

  /// Removes the entries of the queue from their evidence (StoreKit 1's receipt), until that is fetched again. The
  /// evidence then contains a transaction 999.
  public func letEvidenceLag() {
    state.withLock { state in
      for index in state.entries.indices where state.entries[index].evidence != nil {
        state.entries[index].evidence = #"{"transactionId":"999","productId":"com.example.other"}"#
      }
    }
  }

  /// How often evidence was fetched again.
  public var freshEvidences: Int { state.withLock { $0.freshEvidences } }

  func freshEvidence(of transaction: StoreTransaction) -> String? {
    state.withLock { state in
      state.freshEvidences += 1
      return state.charges.first { $0.id == transaction.id }?.evidence
    }
  }

  /// How often a restore was requested.
  public var restores: Int { state.withLock { $0.restores } }

  /// The store's description of products, as the test has set it.
  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    switch state.withLock({ $0.productAnswer }) {
    case .all:
      let known = ids.filter { $0.text.hasPrefix("com.example.coins") }
      return StoreProducts(
        products: known.map { id in
          var product = StoreProduct(id: id, name: id.text, displayPrice: "6.00")
          product.price = StatedPrice(milliunits: 6000, currency: "CNY")
          if let offer = state.withLock({ $0.offers[id] }) { product.promotionalOffers = [offer] }
          return product
        },
        unknown: ids.filter { !known.contains($0) })
    case .nothing: return StoreProducts(products: [], unknown: ids)
    case .fails: throw StoreFailure(.storeUnreachable, explanation: "no network")
    case .hangs:
      for await _ in AsyncStream<Void>.makeStream().stream {}
      throw StoreFailure(explanation: "cancelled")
    }
  }

  /// The entries of a restore, as the test has set them.
  func restore() throws(StoreFailure) -> [StoreTransaction] {
    let (entries, failure) = state.withLock { state in
      state.restores += 1
      return (state.restorable, state.restoreFailure)
    }
    if let failure { throw failure }
    guard let entries else { throw StoreFailure(.cancelled, code: 2, explanation: "the customer gave up") }
    return entries
  }
}
