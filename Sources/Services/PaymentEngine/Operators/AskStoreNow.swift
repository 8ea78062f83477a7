package import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Asks the store about an order that may be in payment, and applies the answer.
  ///
  /// - Throws: `orderUnknown`; `actNotPossible` at a store that knows no orders.
  package func askStoreNow(about key: OrderKey) async throws -> OrderDetails {
    let details = try await readOrder(.id(key.id), in: [key.appEnvironment], of: nil)
    let order = details.order
    guard let app = apps[key.appEnvironment.app], order.store.opensOrders, let store = integration(of: order.store)
    else {
      throw CodedError<EngineErrorCode>(.actNotPossible, "That store knows payments alone, and no orders.")
    }
    await store.ask(about: key, for: app, in: self)
    return try await readOrder(.id(key.id), in: [key.appEnvironment], of: nil)
  }
}
