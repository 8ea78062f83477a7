import CHTTPServer
import HTTPMessages
import PaymentPrimitives
import Synchronization

/// Owns the C server. Calls after its end have no effect.
final class ServerHandle: Sendable {
  let port: UInt16
  /// One for each loop, in the order of their numbers.
  let executors: [LoopExecutor]
  private let server: Mutex<OpaquePointer?>
  private let context: Unmanaged<ServerCallbacks>

  init(
    _ settings: HTTPServerSettings, _ callbacks: ServerCallbacks
  ) throws(CodedError<HTTPServerErrorCode>) {
    let context = Unmanaged.passRetained(callbacks)
    var failure = http_failure()
    let opened = Self.withCSettings(settings) { cSettings in
      var cCallbacks = Self.callbacks(context.toOpaque())
      return http_server_open(&cSettings, &cCallbacks, &failure)
    }
    guard let opened else {
      context.release()
      throw Self.serverError(failure)
    }
    self.context = context
    port = http_server_port(opened)
    // The executors let go of the server before its end, and it may be asked to run something by any thread.
    nonisolated(unsafe) let shared = opened
    server = Mutex(shared)
    executors = callbacks.events.map { _ in LoopExecutor() }
    for (number, executor) in executors.enumerated() {
      executor.use { executor in
        http_server_run(
          shared, UInt32(number),
          { executor in
            guard let executor else { return }
            Unmanaged<LoopExecutor>.fromOpaque(executor).takeRetainedValue().work()
          }, Unmanaged.passRetained(executor).toOpaque())
      }
    }
  }

  deinit {
    close()
    context.release()
  }

  func start() -> Bool { server.withLock { server in server.map { http_server_start($0) } ?? false } }

  func replaceCertificate(by certificate: HTTPServerSettings.Certificate) throws(CodedError<HTTPServerErrorCode>) {
    var failure = http_failure()
    let isReplaced = server.withLock { server in
      guard let server else { return true }
      return certificate.chainFile.withCString { chainFile in
        certificate.keyFile.withCString { http_server_replace_certificate(server, chainFile, $0, &failure) }
      }
    }
    guard isReplaced else { throw Self.serverError(failure) }
  }

  func stop(_ drainLimit: TimeSpan) {
    server.withLock { server in
      if let server { http_server_stop(server, Self.milliseconds(drainLimit)) }
    }
  }

  /// Ends the threads, after every exchange has been answered. Must not be called on one of these threads.
  func close() {
    for executor in executors { executor.use(nil) }
    server.withLock { server in
      if let server { http_server_destroy(server) }
      server = nil
    }
  }

  var statistics: HTTPServerStatistics {
    server.withLock { server in
      let found = server.map { http_server_statistics($0) } ?? http_statistics()
      return HTTPServerStatistics(
        connectionsOpen: Int(found.connections_open),
        connectionsAccepted: Int(found.connections_accepted),
        connectionsTurnedAway: Int(found.connections_turned_away),
        requestsReceived: Int(found.requests_received),
        heldBodyBytes: Int(found.held_body_bytes))
    }
  }

  // MARK: Settings for C

  /// How many loops a server with these limits has.
  static func loopCount(_ limits: HTTPServerLimits) -> Int {
    limits.threads > 0 ? min(limits.threads, 1024) : Int(http_processors())
  }

  private static func milliseconds(_ span: TimeSpan) -> UInt32 {
    UInt32(clamping: max(1, span.milliseconds))
  }

  private static func withCSettings<Result>(
    _ settings: HTTPServerSettings, _ body: (inout http_server_settings) -> Result
  ) -> Result {
    let limits = settings.limits
    var result = http_server_settings()
    result.port = settings.port
    result.listening_descriptor = settings.listeningDescriptor ?? -1
    result.threads = UInt32(clamping: loopCount(limits))
    result.connections_max = UInt32(clamping: max(1, limits.connectionsMax))
    result.connection_share_percent = UInt32(clamping: max(1, min(limits.connectionSharePercent, 100)))
    result.reads_proxy_header = settings.readsProxyProtocol
    result.head_bytes_max = UInt64(clamping: max(256, min(limits.headBytesMax, 1 << 20)))
    result.held_body_bytes_max = UInt64(clamping: limits.heldBodyBytesMax)
    result.handshake_deadline = milliseconds(limits.handshakeDeadline)
    result.head_deadline = milliseconds(limits.headDeadline)
    result.body_deadline = milliseconds(limits.bodyDeadline)
    result.answer_deadline = milliseconds(limits.answerDeadline)
    result.idle_deadline = milliseconds(limits.idleDeadline)
    result.linger_deadline = milliseconds(limits.lingerDeadline)
    result.bytes_per_second_min = UInt32(clamping: max(1, limits.bytesPerSecondMin))
    return settings.address.withCString { address in
      result.address = address
      guard let certificate = settings.certificate else { return body(&result) }
      return certificate.chainFile.withCString { chainFile in
        certificate.keyFile.withCString { keyFile in
          result.certificate_chain_file = chainFile
          result.private_key_file = keyFile
          return body(&result)
        }
      }
    }
  }

  private static func serverError(_ failure: http_failure) -> CodedError<HTTPServerErrorCode> {
    let message = withUnsafeBytes(of: failure.message) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let code: HTTPServerErrorCode =
      failure.kind == http_failure_certificate ? .certificateUnusable : .addressUnavailable
    return CodedError(code, message + ".")
  }

  // MARK: Callbacks from C, on the server's threads

  private static func callbacks(_ context: UnsafeMutableRawPointer) -> http_callbacks {
    http_callbacks(
      context: context,
      trusts: { context, address in
        ServerHandle.target(context).trusts(UnsafeBufferPointer(start: address, count: 16))
      },
      read_proxy_header: { _, bytes, count in
        http_proxy_header(ProxyProtocolHeader(Array(UnsafeBufferPointer(start: bytes, count: count))))
      },
      check_head: { context, bytes, count, peer, answer in
        ServerHandle.target(context).check(
          UnsafeBufferPointer(start: bytes, count: count), from: PeerAddress(peer), answer: answer)
      },
      release_head: { head in
        if let head { Unmanaged<ServerCallbacks.PendingHead>.fromOpaque(head).release() }
      },
      receive: { context, loop, head, body, count, peer, exchange in
        guard let head, let exchange else { return }
        // The connection hands the exchange over and never uses it again, so this is the only pointer to it.
        nonisolated(unsafe) let owned = exchange
        ServerHandle.target(context).receive(
          Unmanaged<ServerCallbacks.PendingHead>.fromOpaque(head).takeRetainedValue(),
          UnsafeBufferPointer(start: body, count: count), from: PeerAddress(peer),
          onLoop: Int(loop), exchange: owned)
      },
      refuse: { context, reason, peer, answer in
        ServerHandle.target(context).fill(
          answer, CodedError(HTTPServerErrorCode(reason)), to: PeerAddress(peer))
      },
      drained: { context, wasForced in ServerHandle.target(context).end(wasForced: wasForced) })
  }

  private static func target(_ context: UnsafeMutableRawPointer?) -> ServerCallbacks {
    guard let context else { preconditionFailure("the server lost its context") }
    return Unmanaged.fromOpaque(context).takeUnretainedValue()
  }
}

extension PeerAddress {
  fileprivate init(_ peer: http_peer) {
    self.init(
      host: String(cString: peer.host), port: peer.port, isEncrypted: peer.is_encrypted)
  }
}

extension http_proxy_header {
  fileprivate init(_ header: ProxyProtocolHeader) {
    self.init()
    switch header {
    case .unfinished: taken = 0
    case .malformed: taken = -1
    case .complete(let byteCount, let client):
      taken = Int64(byteCount)
      guard let client, let address = NetworkAddress(client.host) else { return }
      names_client = true
      port = client.port
      withUnsafeMutableBytes(of: &self.client) { $0.copyBytes(from: address.bytes) }
    }
  }
}

extension HTTPServerErrorCode {
  fileprivate init(_ reason: http_refusal_reason) {
    self =
      switch reason {
      case http_refusal_chunk_malformed: .chunkMalformed
      case http_refusal_incomplete: .incomplete
      case http_refusal_head_too_large: .headTooLarge
      case http_refusal_target_too_long: .targetTooLong
      case http_refusal_body_too_large: .bodyTooLarge
      case http_refusal_too_slow: .tooSlow
      case http_refusal_busy: .busy
      case http_refusal_too_many_connections: .tooManyConnections
      default: .malformed
      }
  }
}
