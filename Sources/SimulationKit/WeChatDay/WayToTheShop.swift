import HTTPMessages
import PaymentEngine
import PaymentVocabulary
import Synchronization

/// Broken rules that an engine told its log: none of them may happen on any day.
final class WeChatDayAlarms: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func note(_ event: LogEvent) {
    guard event.name == "invariant.broken" else { return }
    let particulars = event.fields.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    texts.withLock { $0.append("\(event.name): \(particulars)") }
  }
}

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
