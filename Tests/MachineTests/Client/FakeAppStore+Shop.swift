import Counterfoil
import PaymentVocabulary
import Synchronization

extension FakeAppStore {
  /// How the store answers when it is asked for products.
  enum ProductAnswer: Sendable {
    /// It sells all that begin like ours.
    case all
    /// It sells nothing, and says so.
    case nothing
    /// It fails.
    case fails
    /// It never answers.
    case hangs
  }

  func answerProducts(_ answer: ProductAnswer) { state.withLock { $0.productAnswer = answer } }
  /// What the next restores bring; nil makes them fail.
  func restoreBrings(_ entries: [StoreTransaction]?) { state.withLock { $0.restorable = entries } }
  var restores: Int { state.withLock { $0.restores } }

  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    switch state.withLock({ $0.productAnswer }) {
    case .all:
      let known = ids.filter { $0.text.hasPrefix("com.example.coins") }
      return StoreProducts(
        products: known.map { StoreProduct(id: $0, name: $0.text, displayPrice: "6.00") },
        unknown: ids.filter { !known.contains($0) })
    case .nothing: return StoreProducts(products: [], unknown: ids)
    case .fails: throw StoreFailure(.storeUnreachable, explanation: "no network")
    case .hangs:
      for await _ in AsyncStream<Void>.makeStream().stream {}
      throw StoreFailure(explanation: "cancelled")
    }
  }

  func restore() throws(StoreFailure) -> [StoreTransaction] {
    let entries = state.withLock { state in
      state.restores += 1
      return state.restorable
    }
    guard let entries else { throw StoreFailure(.cancelled, code: 2, explanation: "the customer gave up") }
    return entries
  }
}
