package import HTTPMessages
package import PaymentPrimitives
import Synchronization

/// An HTTP/1.1 server. It reads complete, bounded requests from its connections, passes them to the handler, and writes
/// the answers.
///
/// Each connection has one request at a time; a client that sends the next one early waits. A handler receives `HEAD`
/// unchanged and may answer it as `GET`: the server omits the body and keeps its length. Handlers are not cancelled
/// when their client disconnects: they finish, and the server discards the answer.
package final class HTTPServer: Sendable {
  /// Answers one request, for many connections at the same time. Called on the thread of the connection's loop: whoever
  /// blocks it keeps the other connections of that loop waiting.
  package typealias Handler = @Sendable (HTTPRequest, PeerAddress) async -> HTTPResponse
  /// Writes the answer to a request that no handler receives, and may count and log it. Called on the server's own
  /// threads, so it must be quick. `Refusal.answer(requestIdentifier:)` makes the usual one.
  package typealias Refuser =
    @Sendable (CodedError<HTTPServerErrorCode>, PeerAddress) -> HTTPResponse

  /// The address where the server listens: the host as given, the port as bound.
  package let address: PeerAddress
  private let handle: ServerHandle
  private let callbacks: ServerCallbacks
  /// The requests of each loop.
  private let events: [AsyncStream<ServerEvent>]
  private let drainLimit: TimeSpan
  private let answer: Handler
  private let hasRun = Atomic<Bool>(false)

  /// Binds and listens; connections wait until `run()`.
  ///
  /// Throws `addressUnavailable` or `certificateUnusable`.
  package init(
    _ settings: HTTPServerSettings, refuse: @escaping Refuser, answer: @escaping Handler
  ) throws(CodedError<HTTPServerErrorCode>) {
    // Each buffer holds at most one request per open connection, and one final event.
    let streams = (0..<ServerHandle.loopCount(settings.limits)).map { _ in
      AsyncStream.makeStream(of: ServerEvent.self)
    }
    callbacks = ServerCallbacks(settings, refuse: refuse, events: streams.map(\.continuation))
    handle = try ServerHandle(settings, callbacks)
    address = PeerAddress(
      host: settings.address, port: handle.port, isEncrypted: settings.certificate != nil)
    events = streams.map(\.stream)
    self.answer = answer
    drainLimit = settings.limits.drainLimit
  }

  /// Serves until `stop()` is called or the task is cancelled. Then it waits until the running requests are answered.
  ///
  /// Cancelling the task does not cancel handlers at once: they may finish within the drain limit and are cancelled
  /// after it. Call it once.
  @discardableResult
  package func run() async -> HTTPServerEnd {
    let isFirst = hasRun.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    precondition(isFirst, "a server runs once")
    // Not a child task: its cancellation would cancel the handlers at once too.
    let serving = Task { await serve() }
    return await withTaskCancellationHandler {
      await serving.value
    } onCancel: {
      stop()
    }
  }

  /// Gives the connections that begin from now on another certificate; open ones go on.
  ///
  /// Throws `certificateUnusable`, and then the old one stays.
  package func replaceCertificate(
    by certificate: HTTPServerSettings.Certificate
  ) throws(CodedError<HTTPServerErrorCode>) {
    try handle.replaceCertificate(by: certificate)
  }

  /// Asks the server to stop: it accepts no more connections, closes idle ones and answers running requests.
  package func stop() { handle.stop(drainLimit) }

  /// The current statistics; all zero after the end.
  package var statistics: HTTPServerStatistics { handle.statistics }

  private func serve() async -> HTTPServerEnd {
    guard handle.start() else {
      handle.close()
      return .notStarted
    }
    let end = await withTaskGroup(of: HTTPServerEnd.self) { loops in
      for (events, executor) in zip(events, handle.executors) {
        loops.addTask(executorPreference: executor) { await self.serve(events) }
      }
      return await loops.reduce(.drained) { $1 == .drained ? $0 : $1 }
    }
    handle.close()
    return end
  }

  /// Serves the requests of one loop until the last event, in tasks on the same loop.
  private func serve(_ events: AsyncStream<ServerEvent>) async -> HTTPServerEnd {
    await withDiscardingTaskGroup { group in
      for await event in events {
        switch event {
        case .received(let request, let peer, let exchange):
          group.addTask { await self.serve(request, from: peer, on: exchange) }
        case .ended(let wasForced):
          guard wasForced else { return .drained }
          group.cancelAll()
          return .cutShort
        }
      }
      return .drained
    }
  }

  private func serve(_ request: HTTPRequest, from peer: PeerAddress, on exchange: OpenExchange) async {
    let response = await answer(request, peer)
    do {
      exchange.answer(response, head: try ResponseHead(response, toMethod: request.method))
    } catch {
      callbacks.write(error, to: peer) { exchange.answer($0, head: $1) }
    }
  }
}

package enum HTTPServerEnd: Hashable, Sendable {
  case drained
  /// The drain limit ended running requests.
  case cutShort
  /// No thread could be started, so no request was served.
  case notStarted
}

/// Counters of a server.
package struct HTTPServerStatistics: Hashable, Sendable {
  package var connectionsOpen: Int
  package var connectionsAccepted: Int
  /// Connections rejected so far: their address held its share, or there was no room.
  package var connectionsTurnedAway: Int
  /// Requests passed to the handler so far.
  package var requestsReceived: Int
  /// Bytes of large bodies in memory now.
  package var heldBodyBytes: Int
}
