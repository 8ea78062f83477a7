import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// A server that notifications are sent to: it keeps what came and answers as it was told.
actor StandInServer {
  enum Answer: Sendable {
    case status(Int)
    case failure(HTTPExchangeError)
    /// None until the caller gives up.
    case silence
  }

  private(set) var requests: [HTTPRequest] = []
  private(set) var timeLimits: [TimeSpan] = []
  private var answers: [Answer] = []
  private var otherwise = Answer.status(200)
  private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  nonisolated var exchange: HTTPExchange {
    HTTPExchange { request, limit throws(HTTPExchangeError) in try await self.receive(request, limit) }
  }

  /// Answers the next requests so, and all others as `otherwise` says.
  func answer(_ next: [Answer], otherwise: Answer = .status(200)) {
    answers = next
    self.otherwise = otherwise
  }

  /// The signed payloads that came, in order.
  var payloads: [String] {
    requests.compactMap { request in try? JSONReader.read(request.body)["signedPayload"]?.string }
  }

  func forget() { requests = [] }

  /// Comes back when so many requests have come.
  func untilItHasReceived(_ count: Int) async {
    guard requests.count < count else { return }
    await withCheckedContinuation { waiting.append((count, $0)) }
  }

  private func receive(
    _ request: HTTPRequest, _ limit: TimeSpan
  ) async throws(HTTPExchangeError) -> HTTPResponse {
    requests.append(request)
    timeLimits.append(limit)
    let ready = waiting.filter { $0.count <= requests.count }
    waiting.removeAll { $0.count <= requests.count }
    for waiter in ready { waiter.continuation.resume() }
    switch answers.isEmpty ? otherwise : answers.removeFirst() {
    case .status(let status): return HTTPResponse(status: status)
    case .failure(let error): throw error
    case .silence:
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      // A stream that nobody ends is left when the task is cancelled.
      for await _ in stream {}
      continuation.finish()
      throw .cancelled
    }
  }
}
