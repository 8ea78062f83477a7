package import HTTPMessages
import PaymentPrimitives
import Synchronization

/// A connection to a server that a test makes later. Until then there is no answer.
package final class LateExchange: Sendable {
  private let server = Mutex<HTTPExchange?>(nil)

  package init() {}

  package func open(to server: HTTPExchange) { self.server.withLock { $0 = server } }

  package var exchange: HTTPExchange {
    HTTPExchange { [self] request, limit throws(HTTPExchangeError) in
      guard let server = server.withLock({ $0 }) else { throw .unreachable("The server does not exist yet.") }
      return try await server.send(request, limit)
    }
  }
}
