import Counterfoil
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization

/// What an app and the payment queue of its phone have said to each other.
enum ScenarioTalk: Hashable, Sendable {
  case listens
  /// The queue showed the app an entry, unasked.
  case shows(StoreTransaction)
  /// The app asked for all that is unfinished, and was told so many.
  case enumerates(Int)
  /// The app handed a payment over, and the sheet opened.
  case pays(StoreProductIdentifier)
  case finishes(StoreTransaction)
}

/// What WeChat Pay answered when the server asked it about orders, as words of `trade_state`.
final class ScenarioQuestions: Sendable {
  private let list = Mutex<[String]>([])

  var answers: [String] { list.withLock { $0 } }

  /// The same way to WeChat Pay, with its answers taken down.
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
