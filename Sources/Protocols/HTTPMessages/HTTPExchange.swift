public import PaymentPrimitives

/// Sends one request and waits for its answer. All communication with other processes uses this type.
///
/// A program passes in the real network, a simulation its own. A missing answer is *unknown*, never "failed": the
/// request may have taken effect.
public struct HTTPExchange: Sendable {
  /// Sends the request. It stops after the time limit, which covers connecting, sending and the whole answer.
  public var send:
    @Sendable (_ request: HTTPRequest, _ timeLimit: TimeSpan) async throws(HTTPExchangeError) ->
      HTTPResponse

  /// An exchange with that function.
  public init(
    send:
      @escaping @Sendable (_ request: HTTPRequest, _ timeLimit: TimeSpan)
      async throws(HTTPExchangeError) -> HTTPResponse
  ) {
    self.send = send
  }
}

/// Why there is no answer.
public enum HTTPExchangeError: Error, Hashable, Sendable {
  /// The other side was not reachable: the request was certainly not processed.
  case unreachable(String)
  /// The connection failed, or the time limit passed, after the request may have been sent.
  case outcomeUnknown(String)
  /// The answer was too large, or not HTTP. The request may have taken effect.
  case unreadableAnswer(String)
  /// The address is not allowed: a private range, or a scheme other than http and https.
  case refusedTarget(String)
  /// The task was cancelled while waiting.
  case cancelled
}
