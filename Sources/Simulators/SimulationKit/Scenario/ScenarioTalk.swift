import Counterfoil
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization

/// A message between an app and the payment queue of its phone.
enum ScenarioTalk: Hashable, Sendable {
  case listens
  /// The queue showed the app a transaction, without a request.
  case shows(StoreTransaction)
  /// The app asked for all unfinished transactions, and got this many.
  case enumerates(Int)
  /// The app submitted a payment, and the sheet opened.
  case pays(StoreProductIdentifier)
  case finishes(StoreTransaction)
}

/// WeChat Pay's answers to the server's order queries, as values of `trade_state`.
final class ScenarioQuestions: Sendable {
  private let list = Mutex<[String]>([])

  var answers: [String] { list.withLock { $0 } }

  /// The same connection to WeChat Pay, with its answers recorded.
  func noting(_ way: HTTPExchange) -> HTTPExchange {
    HTTPExchange { [self] request, limit throws(HTTPExchangeError) in
      let response = try await way.send(request, limit)
      if request.method == "GET", request.target.contains("/out-trade-no/"),
        let state = try? JSONReader.read(response.body)["trade_state"]?.string
      {
        list.withLock { $0.append(state) }
      }
      return response
    }
  }
}
