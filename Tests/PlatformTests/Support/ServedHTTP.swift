import HTTPMessages
import HTTPServer
import PaymentPrimitives
import StrictJSON
import Synchronization
import SystemPlatform
import TestPlatform

/// Runs a server during a test, and stops it.
@discardableResult
func withServer<Result: Sendable>(
  _ limits: HTTPServerLimits = .patient,
  certificate: HTTPServerSettings.Certificate? = nil,
  address: String = "127.0.0.1",
  answer: @escaping HTTPServer.Handler = describe,
  during body: @Sendable (HTTPServer) async throws -> Result
) async throws -> Result {
  let settings = HTTPServerSettings(address: address, certificate: certificate, limits: limits)
  return try await withServer(settings, answer: answer, during: body)
}

/// Runs a server with these settings during a test, and stops it.
@discardableResult
func withServer<Result: Sendable>(
  _ settings: HTTPServerSettings, answer: @escaping HTTPServer.Handler = describe,
  during body: @Sendable (HTTPServer) async throws -> Result
) async throws -> Result {
  let server = try HTTPServer(
    settings, refuse: { error, _ in error.answer(requestIdentifier: "r1") }, answer: answer)
  async let end = server.run()
  do {
    let result = try await body(server)
    server.stop()
    _ = await end
    return result
  } catch {
    server.stop()
    _ = await end
    throw error
  }
}

/// Answers with the received method, target, body size and client address.
@Sendable func describe(_ request: HTTPRequest, _ peer: PeerAddress) async -> HTTPResponse {
  HTTPResponse(
    status: 200,
    json: .members([
      ("method", .string(request.method)), ("target", .string(request.target)),
      ("bytes", .integer(request.body.count)), ("peer", .string(peer.host)),
    ]))
}

/// The server's answers to these bytes on a new connection, until it closes.
func answers(of server: HTTPServer, to text: String) async -> [RawAnswer] {
  await answers(of: server, to: Array(text.utf8))
}

func answers(of server: HTTPServer, to bytes: [UInt8]) async -> [RawAnswer] {
  guard let connection = try? await RawConnection(port: server.address.port) else { return [] }
  await connection.send(bytes)
  return RawAnswer.all(in: await connection.receiveUntilClosed() ?? [])
}

extension RawAnswer {
  /// The stable code of an error.
  var code: String? { json?["code"]?.string }
  var json: JSONValue? {
    try? JSONReader.read(body.utf8)
  }
}

/// A gate that a test waits for until it is opened.
final class Gate: Sendable {
  private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

  func open() {
    let waiting = state.withLock { state in
      defer { state = (true, []) }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}

/// A short pause, for clients that are slow on purpose.
func settle() async throws { try await Dependencies.system.sleep(.milliseconds(10)) }

extension HTTPServerLimits {
  /// The usual limits with long deadlines: a busy machine must not look like a slow client. A test of a deadline
  /// shortens that one.
  static let patient: HTTPServerLimits = {
    var limits = HTTPServerLimits()
    limits.handshakeDeadline = .minutes(5)
    limits.headDeadline = .minutes(5)
    limits.bodyDeadline = .minutes(5)
    limits.answerDeadline = .minutes(5)
    return limits
  }()
}
