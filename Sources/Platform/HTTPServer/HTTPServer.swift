package import HTTPMessages
package import PaymentPrimitives
import Synchronization

/// An HTTP/1.1 server: reads whole, bounded requests off its connections, has them answered, and writes the answers.
///
/// One request at a time on each connection; a client that sends the next one early waits. A handler sees `HEAD` as it
/// came and may answer it as `GET`: the body is left out, its length stays. Handlers are not cancelled when their
/// client goes away: what was begun is ended, and the answer thrown away.
package final class HTTPServer: Sendable {
  /// Answers one request; called on Swift's threads, at once for as many as there are connections.
  package typealias Handler = @Sendable (HTTPRequest, PeerAddress) async -> HTTPResponse
  /// Writes the answer to a request that no handler sees, and may count and log it. Called on the server's own threads,
  /// so it must be quick. `Refusal.answer(requestIdentifier:)` makes the usual one.
  package typealias Refuser =
    @Sendable (CodedError<HTTPServerErrorCode>, PeerAddress) -> HTTPResponse

  /// Where the server listens: the address as given, the port as bound.
  package let address: PeerAddress
  private let handle: ServerHandle
  private let callbacks: ServerCallbacks
  private let events: AsyncStream<ServerEvent>
  private let drainLimit: TimeSpan
  private let answer: Handler
  private let hasRun = Atomic<Bool>(false)

  /// Binds and listens; connections wait until `run()`.
  ///
  /// Throws `addressUnavailable` or `certificateUnusable`.
  package init(
    _ settings: HTTPServerSettings, refuse: @escaping Refuser, answer: @escaping Handler
  ) throws(CodedError<HTTPServerErrorCode>) {
    // The buffer holds at most one request of each open connection, and one last word.
    let (events, continuation) = AsyncStream.makeStream(of: ServerEvent.self)
    callbacks = ServerCallbacks(settings, refuse: refuse, events: continuation)
    handle = try ServerHandle(settings, callbacks)
    address = PeerAddress(
      host: settings.address, port: handle.port, isEncrypted: settings.certificate != nil)
    self.events = events
    self.answer = answer
    drainLimit = settings.limits.drainLimit
  }

  /// Serves until `stop()` is called or the task is cancelled, and then until the requests under way are answered.
  ///
  /// Cancelling does not cancel handlers: they are let end within the drain limit, and cancelled only after it. To be
  /// called once.
  @discardableResult
  package func run() async -> HTTPServerEnd {
    let isFirst = hasRun.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    precondition(isFirst, "a server runs once")
    // Not a child of this task, whose cancellation would at once cancel the handlers too.
    let serving = Task { await serve() }
    return await withTaskCancellationHandler {
      await serving.value
    } onCancel: {
      stop()
    }
  }

  /// Asks the server to stop: no connection is accepted any more, idle ones are closed, running requests are answered.
  package func stop() { handle.stop(drainLimit) }

  /// What is going on at this moment; all zero after the end.
  package var statistics: HTTPServerStatistics { handle.statistics }

  private func serve() async -> HTTPServerEnd {
    var end = HTTPServerEnd.drained
    if handle.start() {
      await withDiscardingTaskGroup { group in
        for await event in events {
          switch event {
          case .received(let request, let peer, let exchange):
            group.addTask { await self.serve(request, from: peer, on: exchange) }
          case .ended(let wasForced):
            if wasForced {
              end = .cutShort
              group.cancelAll()
            }
            return
          }
        }
      }
    } else {
      end = .notStarted
    }
    handle.close()
    return end
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
  /// Requests were cut at the drain limit.
  case cutShort
  /// No thread could be started: nothing was served.
  case notStarted
}

/// What a server has done and is doing.
package struct HTTPServerStatistics: Hashable, Sendable {
  package var connectionsOpen: Int
  package var connectionsAccepted: Int
  /// Connections turned away so far: their address held its share, or there was no room.
  package var connectionsTurnedAway: Int
  /// Requests handed to the handler so far.
  package var requestsReceived: Int
  /// Bytes of large bodies held now.
  package var heldBodyBytes: Int
}
