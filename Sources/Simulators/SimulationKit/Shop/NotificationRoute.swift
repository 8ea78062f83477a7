package import HTTPMessages
package import PaymentEngine
package import PaymentPrimitives
import Synchronization

/// The way from a simulated store's notifications to the engine of the app `shop`, open once there is one.
package final class NotificationRoute: Sendable {
  private let store: Store
  private let engine = Mutex<PaymentEngine?>(nil)

  /// A way that is not open yet.
  ///
  /// - Parameter store: whose notifications come this way.
  package init(from store: Store) { self.store = store }

  /// From now on what comes is received by this engine.
  package func open(to engine: PaymentEngine) { self.engine.withLock { $0 = engine } }

  /// The way as the store sees it: what the engine cannot keep is answered with 503, so that it comes again.
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
