import AppStoreIntegration
package import HTTPMessages
package import PaymentEngine
package import PaymentPrimitives
import Synchronization
import WeChatPayIntegration

/// Passes a simulated store's notifications to the engine of the app `shop`, as soon as the engine exists.
package final class NotificationRoute: Sendable {
  private let store: Store
  private let engine = Mutex<PaymentEngine?>(nil)

  /// - Parameter store: the store that sends the notifications.
  package init(from store: Store) { self.store = store }

  /// Sends all later notifications to this engine.
  package func open(to engine: PaymentEngine) { self.engine.withLock { $0 = engine } }

  /// The store sends its notifications here. If the engine fails, the answer is 503, so that the store sends the
  /// notification again.
  package var exchange: HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      guard let engine = engine.withLock({ $0 }) else { throw .unreachable("The engine does not exist yet.") }
      do {
        switch store {
        case .appStore:
          _ = try await engine.receiveAppStoreNotification(request.body, for: "shop")
          return HTTPResponse(status: 200)
        case .weChatPay:
          let result = try await engine.receiveWeChatPayNotification(
            fields: request.fields, body: request.body, for: "shop")
          switch result {
          case .kept(_, let answer), .refused(let answer, _): return answer
          }
        }
      } catch {
        return HTTPResponse(status: 503)
      }
    }
  }
}
