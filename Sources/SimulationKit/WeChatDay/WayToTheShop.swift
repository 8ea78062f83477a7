import HTTPMessages
import PaymentEngine
import PaymentVocabulary
import Synchronization

/// The way from a simulated WeChat Pay to a shop's engine, open once there is one.
final class WayToTheShop: Sendable {
  private let engine = Mutex<PaymentEngine?>(nil)

  func open(to engine: PaymentEngine) { self.engine.withLock { $0 = engine } }

  var exchange: HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      guard let engine = engine.withLock({ $0 }) else { throw .unreachable("There is no shop yet.") }
      do {
        let result = try await engine.receiveWeChatPayNotification(
          fields: request.fields, body: request.body, for: "shop")
        switch result {
        case .kept(_, let answer), .refused(let answer, _): return answer
        }
      } catch {
        return HTTPResponse(status: 503)
      }
    }
  }
}
