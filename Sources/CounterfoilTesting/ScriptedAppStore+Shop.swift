public import Counterfoil
public import PaymentVocabulary
import Synchronization

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ScriptedAppStore {
  /// How the store answers when it is asked for products.
  public enum ProductAnswer: Sendable {
    /// It sells all that begin like ours.
    case all
    /// It sells nothing, and says so.
    case nothing
    /// It fails.
    case fails
    /// It never answers.
    case hangs
  }

  /// How the store answers from now on when it is asked for products.
  public func answerProducts(_ answer: ProductAnswer) { state.withLock { $0.productAnswer = answer } }
  /// What the next restores bring; nil makes them fail.
  public func restoreBrings(_ entries: [StoreTransaction]?) { state.withLock { $0.restorable = entries } }
  /// How often a restore was asked for.
  public var restores: Int { state.withLock { $0.restores } }

  /// What the store says of products, as the test has set it.
  public func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
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

  /// What a restore brings, as the test has set it.
  public func restore() throws(StoreFailure) -> [StoreTransaction] {
    let entries = state.withLock { state in
      state.restores += 1
      return state.restorable
    }
    guard let entries else { throw StoreFailure(.cancelled, code: 2, explanation: "the customer gave up") }
    return entries
  }
}
