import CCurl
package import HTTPMessages
package import PaymentPrimitives
import Synchronization

/// Makes exchanges with other processes over the real network, with libcurl.
///
/// It follows no redirects, keeps no cookies and does not use the proxies of the environment. It keeps connections and
/// uses them again. If the other side has closed a connection meanwhile, the client may send a request a second time on
/// a new one. This is safe: every request of this product carries an id that makes a repetition harmless.
package final class HTTPClient: Sendable {
  /// The most exchanges at one time; a further one fails with `unreachable` at once. Each exchange holds a connection
  /// and an answer.
  package static let exchangesMax = 4096

  private let hosts: [String: [String]]
  private let threads = Mutex<[Bool: CurlThread]>([:])

  /// Creates a client. Names in `hosts` have the addresses given here; the client does not ask the system for them.
  package init(hosts: [String: [String]] = [:]) { self.hosts = hosts }

  /// Returns the exchange for these options.
  ///
  /// Throws `authorityUnreadable` if the given certificates contain no certificate, and `clientUnavailable` if no
  /// thread can be started.
  package func exchange(
    _ options: HTTPClientOptions
  ) throws(CodedError<HTTPClientErrorCode>) -> HTTPExchange {
    let plan = try TransferPlan(options, hosts: hosts)
    let thread = try thread(guarded: options.route == .publicOnly)
    return HTTPExchange { request, timeLimit async throws(HTTPExchangeError) in
      try await thread.send(request, plan, timeLimit: timeLimit)
    }
  }

  /// An exchange that may reach only public addresses must not reuse a connection to a private address. libcurl does
  /// not distinguish such connections, so each kind of exchange has its own thread and cache.
  private func thread(guarded: Bool) throws(CodedError<HTTPClientErrorCode>) -> CurlThread {
    try threads.withLock { threads throws(CodedError<HTTPClientErrorCode>) in
      if let thread = threads[guarded] { return thread }
      let thread = try CurlThread()
      threads[guarded] = thread
      return thread
    }
  }
}
