import WeChatPayIntegration
import AppStoreIntegration
package import HTTPMessages
package import PaymentEngine
package import PaymentPrimitives
import Synchronization

/// The route from a simulated store's notifications to the engine of the app `shop`; it opens when the engine exists.
package final class NotificationRoute: Sendable {
  private let store: Store
  private let engine = Mutex<PaymentEngine?>(nil)

  /// A route that is not open yet.
  ///
  /// - Parameter store: the store that sends the notifications.
  package init(from store: Store) { self.store = store }

  /// From now on this engine receives the notifications.
  package func open(to engine: PaymentEngine) { self.engine.withLock { $0 = engine } }

  /// The route as the store sees it: an error of the engine is answered with 503, so that the notification is
  /// repeated.
  package var exchange: HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      guard let engine = engine.withLock({ $0 }) else { throw .unreachable("There is no shop yet.") }
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
