public import PaymentPrimitives

/// Sends one request and waits for its answer: the only way in which anything of ours speaks to another process.
///
/// A program hands in the real network, the simulated world its own. An answer that did not come is *unknown*, never
/// "failed": the request may have taken effect.
public struct HTTPExchange: Sendable {
  /// Sends the request; gives up after the time limit, which covers connecting, sending and the whole answer.
  public var send:
    @Sendable (_ request: HTTPRequest, _ timeLimit: TimeSpan) async throws(HTTPExchangeError) ->
      HTTPResponse

  /// An exchange by that function.
  public init(
    send:
      @escaping @Sendable (_ request: HTTPRequest, _ timeLimit: TimeSpan)
      async throws(HTTPExchangeError) -> HTTPResponse
  ) {
    self.send = send
  }
}

/// Why no answer came.
public enum HTTPExchangeError: Error, Hashable, Sendable {
  /// The other side could not be reached: the request was certainly not processed.
  case unreachable(String)
  /// The connection broke or the time limit passed after the request may have been sent.
  case outcomeUnknown(String)
  /// The answer was larger than allowed, or not HTTP. The request may have taken effect.
  case unreadableAnswer(String)
  /// The address is one that must not be asked: a private range, or a scheme other than http and https.
  case refusedTarget(String)
  /// The task was cancelled while it waited.
  case cancelled
}
