import Foundation
import HTTPMessages
import PaymentPrimitives

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One `URLSession` and its running exchanges. Its connections are kept between them.
actor URLSessionExchange {
  private struct Pending {
    let task: URLSessionDataTask
    let request: HTTPRequest
    let answer: AsyncStream<ExchangeOutcome>.Continuation
    var head: (status: Int, fields: HTTPFields)?
    var body: [UInt8] = []
  }

  private let session: URLSession
  private let events: AsyncStream<SessionEvent>.Continuation
  private let answerBytesMax: Int
  private var pending: [Int: Pending] = [:]

  init(answerBytesMax: Int) {
    let (stream, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
    events = continuation
    self.answerBytesMax = answerBytesMax
    session = URLSession(
      configuration: .withoutMemory, delegate: SessionDelegate(continuation), delegateQueue: nil)
    // Ends with the stream, which ends with this actor.
    Task { [weak self] in
      for await event in stream { await self?.take(event) }
    }
  }

  deinit {
    session.invalidateAndCancel()
    events.finish()
  }

  /// Sends a request.
  ///
  /// - Returns: a number with which to forget it, and a stream of its one outcome.
  func begin(
    _ request: HTTPRequest, within limit: TimeSpan
  ) throws(HTTPExchangeError) -> (Int, AsyncStream<ExchangeOutcome>) {
    let task = session.dataTask(with: try URLRequest(request, within: limit))
    let (stream, continuation) = AsyncStream.makeStream(
      of: ExchangeOutcome.self, bufferingPolicy: .bufferingOldest(1))
    pending[task.taskIdentifier] = Pending(task: task, request: request, answer: continuation)
    task.resume()
    return (task.taskIdentifier, stream)
  }

  /// Drops an exchange that has no waiting caller any more.
  func forget(_ number: Int) {
    guard let gone = pending.removeValue(forKey: number) else { return }
    gone.answer.finish()
    gone.task.cancel()
  }

  private func take(_ event: SessionEvent) {
    switch event {
    case .head(let number, let status, let fields): pending[number]?.head = (status, fields)
    case .piece(let number, let bytes):
      guard let exchange = pending[number] else { return }
      guard exchange.body.count + bytes.count <= answerBytesMax else {
        exchange.task.cancel()
        return end(number, .failure(.unreadableAnswer("The answer has more than \(answerBytesMax) bytes.")))
      }
      pending[number]?.body += bytes
    case .end(let number, let failure):
      guard let exchange = pending[number] else { return }
      if let failure {
        end(number, .failure(failure.error(for: exchange.request, hasAnswered: exchange.head != nil)))
      } else if let head = exchange.head {
        end(number, .success(HTTPResponse(status: head.status, fields: head.fields, body: exchange.body)))
      } else {
        end(number, .failure(.unreadableAnswer("The answer is not HTTP.")))
      }
    }
  }

  private func end(_ number: Int, _ outcome: ExchangeOutcome) {
    guard let exchange = pending.removeValue(forKey: number) else { return }
    exchange.answer.yield(outcome)
    exchange.answer.finish()
  }
}

extension URLSessionConfiguration {
  /// A configuration in which exchanges share nothing but the connection.
  fileprivate static var withoutMemory: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCredentialStorage = nil
    return configuration
  }
}

extension URLRequest {
  /// A request for `URLSession`, which writes `Host` and `Content-Length` itself.
  fileprivate init(_ request: HTTPRequest, within limit: TimeSpan) throws(HTTPExchangeError) {
    guard let url = URL(string: request.target), let scheme = url.scheme?.lowercased(),
      ["https", "http"].contains(scheme), url.host?.isEmpty == false
    else { throw .refusedTarget("The address is not one of http or https.") }
    self.init(url: url)
    httpMethod = request.method
    for (name, value) in request.fields.all where !["host", "content-length"].contains(name.lowercased()) {
      addValue(value, forHTTPHeaderField: name)
    }
    if !request.body.isEmpty {
      httpBody = Data(request.body)
      if request.fields["Content-Type"] == nil {
        setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
      }
    }
    // This limit must not end before the client's own limit, which covers the whole exchange.
    timeoutInterval = TimeInterval(limit.milliseconds) / 1000 + 60
  }
}
