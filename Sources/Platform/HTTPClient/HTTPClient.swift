import CCurl
package import HTTPMessages
package import PaymentPrimitives

/// Makes exchanges with other processes over the real network, with libcurl.
///
/// Redirects are not followed, cookies not kept, proxies of the environment not used. Connections are kept and used
/// again; when the other side has closed one meanwhile, a request may be sent a second time on a new one. Nothing of
/// ours minds: every request carries the id that makes a repetition harmless.
package final class HTTPClient: Sendable {
  /// The most exchanges at one time; one more is answered `unreachable` at once. Each holds a connection and an answer.
  package static let exchangesMax = 4096

  private let hosts: [String: [String]]
  private let threads = Guarded<[Bool: CurlThread]>([:])

  /// A client. Names in `hosts` are not asked of the system: they have the addresses given here.
  package init(hosts: [String: [String]] = [:]) { self.hosts = hosts }

  /// Exchanges by these options.
  ///
  /// Throws `authorityUnreadable` when there is no certificate in the given ones, `clientUnavailable` when no thread
  /// can be started.
  package func exchange(
    _ options: HTTPClientOptions
  ) throws(CodedError<HTTPClientErrorCode>) -> HTTPExchange {
    let plan = try TransferPlan(options, hosts: hosts)
    let thread = try thread(guarded: options.route == .publicOnly)
    return HTTPExchange { request, timeLimit async throws(HTTPExchangeError) in
      try await thread.send(request, plan, timeLimit)
    }
  }

  /// A connection that was opened to a private address must not be found again by an exchange that may not go there.
  /// libcurl does not tell such connections apart, so the two kinds of exchanges have a thread and a cache each.
  private func thread(guarded: Bool) throws(CodedError<HTTPClientErrorCode>) -> CurlThread {
    try threads.withLock { threads throws(CodedError<HTTPClientErrorCode>) in
      if let thread = threads[guarded] { return thread }
      let thread = try CurlThread()
      threads[guarded] = thread
      return thread
    }
  }
}
