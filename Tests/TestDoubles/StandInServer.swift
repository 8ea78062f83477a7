package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// A server that receives notifications: it keeps them and answers as a test decides.
package actor StandInServer {
  package enum Answer: Sendable {
    case status(Int)
    case failure(HTTPExchangeError)
    /// No answer until the caller gives up.
    case silence
  }

  package init() {}

  package private(set) var requests: [HTTPRequest] = []
  package private(set) var timeLimits: [TimeSpan] = []
  private var answers: [Answer] = []
  private var otherwise = Answer.status(200)
  private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  package nonisolated var exchange: HTTPExchange {
    HTTPExchange { request, limit throws(HTTPExchangeError) in try await self.receive(request, limit) }
  }

  /// Answers the next requests with these answers, and all others with `otherwise`.
  package func answer(_ next: [Answer], otherwise: Answer = .status(200)) {
    answers = next
    self.otherwise = otherwise
  }

  /// The signed payloads that arrived, in order.
  package var payloads: [String] {
    requests.compactMap { request in try? JSONReader.read(request.body)["signedPayload"]?.string }
  }

  package func forget() { requests = [] }

  /// Returns when that many requests have arrived.
  package func untilItHasReceived(_ count: Int) async {
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
      // This stream never ends; a task leaves it only by cancellation.
      for await _ in stream {}
      continuation.finish()
      throw .cancelled
    }
  }
}
