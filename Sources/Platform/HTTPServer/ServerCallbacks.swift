import CHTTPServer
import HTTPMessages
import PaymentPrimitives
import Synchronization

/// Events from the server's threads to the serving task.
enum ServerEvent: Sendable {
  /// A complete request that waits for an answer.
  case received(HTTPRequest, PeerAddress, OpenExchange)
  case ended(wasForced: Bool)
}

/// A request with a waiting client. It is answered exactly once: at the latest when it is deallocated.
final class OpenExchange: Sendable {
  private let pointer: Mutex<OpaquePointer?>

  init(_ pointer: sending OpaquePointer) { self.pointer = Mutex(pointer) }

  func answer(_ response: HTTPResponse, head: ResponseHead) {
    send(head.bytes, head.sendsBody ? response.body : [], closes: head.closes)
  }

  private func send(_ head: [UInt8], _ body: [UInt8], closes: Bool) {
    pointer.withLock { pointer in
      guard let exchange = pointer else { return }
      pointer = nil
      http_exchange_answer(exchange, head, head.count, body, body.count, closes)
    }
  }

  deinit {
    send(Array("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n".utf8), [], closes: true)
  }
}

/// The functions that the connections call in Swift, on their own threads.
final class ServerCallbacks: Sendable {
  private let limits: HTTPServerLimits
  private let trustedProxies: TrustedProxies
  private let refuse: HTTPServer.Refuser
  /// Where each loop passes its requests, by the loop's number.
  let events: [AsyncStream<ServerEvent>.Continuation]

  init(
    _ settings: HTTPServerSettings, refuse: @escaping HTTPServer.Refuser,
    events: [AsyncStream<ServerEvent>.Continuation]
  ) {
    limits = settings.limits
    trustedProxies = settings.trustedProxies
    self.refuse = refuse
    self.events = events
  }

  /// A head; the connection still waits for its body.
  final class PendingHead: Sendable {
    let head: RequestHead
    init(_ head: RequestHead) { self.head = head }
  }

  /// Whether that address, of 16 bytes, belongs to a trusted proxy.
  func trusts(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
    NetworkAddress(bytes: Array(address)).map { trustedProxies.contains($0) } ?? false
  }

  func check(
    _ bytes: UnsafeBufferPointer<UInt8>, from peer: PeerAddress, answer: OpaquePointer?
  ) -> http_head_verdict {
    do throws(CodedError<HTTPServerErrorCode>) {
      let head = try RequestHead(Array(bytes), fieldsMax: limits.fieldsMax)
      var verdict = http_head_verdict()
      verdict.body_limit = UInt64(limits.bodyBytesMax(forPath: head.path))
      verdict.is_chunked = head.body == .chunked
      if case .length(let length) = head.body {
        guard length <= verdict.body_limit else {
          throw CodedError(.bodyTooLarge, "At most \(verdict.body_limit) bytes are read.")
        }
        verdict.content_length = length
      }
      verdict.expects_continue = head.expectsContinue
      verdict.head = Unmanaged.passRetained(PendingHead(head)).toOpaque()
      return verdict
    } catch {
      fill(answer, error, to: peer)
      return http_head_verdict()
    }
  }

  func receive(
    _ pending: PendingHead, _ body: UnsafeBufferPointer<UInt8>, from peer: PeerAddress,
    onLoop loop: Int, exchange: sending OpaquePointer
  ) {
    let head = pending.head
    let request = HTTPRequest(head.method, head.target, fields: head.fields, body: Array(body))
    events[loop].yield(.received(request, peer, OpenExchange(exchange)))
  }

  func end(wasForced: Bool) {
    for events in events {
      events.yield(.ended(wasForced: wasForced))
      events.finish()
    }
  }

  func fill(
    _ answer: OpaquePointer?, _ error: CodedError<HTTPServerErrorCode>, to peer: PeerAddress
  ) {
    write(error, to: peer) { response, head in
      let body = head.sendsBody ? response.body : []
      http_answer_fill(answer, head.bytes, head.bytes.count, body, body.count)
    }
  }

  /// Lets `refuse` word the error and sends the answer. If that answer cannot be sent, sends the plain wording.
  func write(
    _ error: CodedError<HTTPServerErrorCode>, to peer: PeerAddress,
    send: (HTTPResponse, ResponseHead) -> Void
  ) {
    let worded = refuse(error, peer)
    for response in [worded, error.answer(requestIdentifier: "")] {
      guard let head = try? ResponseHead(response, toMethod: "GET") else { continue }
      send(response, head)
      return
    }
  }
}
