import Cryptography
import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A backend's receiver of deliveries on a real socket. It checks the signature, books by the delivery's id, and then
/// behaves as configured, even badly.
final class WebhookReceiver: Sendable {
  /// Its behaviour for an attempt with a new id. It acknowledges repeats.
  enum Manner: Sendable {
    case acknowledges
    /// Answers that status and books nothing.
    case refuses(Int)
    /// Books, and cuts the connection without an answer.
    case cutsAfterBooking
    /// Books, and acknowledges only after `letGo()`.
    case waits
  }

  /// One received attempt.
  struct Attempt: Hashable, Sendable {
    let id: String
    let body: String
    let isSigned: Bool

    var json: JSONValue { (try? JSONReader.read(body.utf8)) ?? .null }
  }

  private struct State {
    var attempts: [Attempt] = []
    var known: Set<String> = []
    var booked: [String: String] = [:]
    var isLetGo = false
    var isStopped = false
    var history: ClientHistory?
  }

  let port: UInt16
  private let listener: Int32
  private let secret: Secret
  private let manner: Manner
  private let state = Mutex(State())

  /// - Parameters:
  ///   - port: 0 for any free port.
  ///   - secret: the bytes that deliveries are signed with.
  init(port: UInt16 = 0, secret: [UInt8], _ manner: Manner = .acknowledges) throws {
    self.secret = Secret(secret)
    self.manner = manner
    #if canImport(Glibc)
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 256) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRINUSE) }
    self.port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in accept() }
  }

  /// Every attempt, in order.
  var attempts: [Attempt] { state.withLock { $0.attempts } }
  /// The bodies that were booked, by delivery id.
  var booked: [String: String] { state.withLock { $0.booked } }
  /// The transactions that were booked, once for each booking.
  var transactions: [String] {
    booked.values.compactMap { (try? JSONReader.read($0.utf8))?["transactionId"]?.string }.sorted()
  }

  /// Notes each attempt from now on.
  func note(in history: ClientHistory) { state.withLock { $0.history = history } }

  /// Acknowledges all waiting attempts.
  func letGo() { state.withLock { $0.isLetGo = true } }

  /// Accepts no more connections.
  func stop() {
    state.withLock {
      $0.isLetGo = true
      $0.isStopped = true
    }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func accept() {
    while true {
      #if canImport(Glibc)
        let connection = Glibc.accept(listener, nil, nil)
      #else
        let connection = Darwin.accept(listener, nil, nil)
      #endif
      guard connection >= 0, !state.withLock({ $0.isStopped }) else { break }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      Thread.detachNewThread { [self] in
        serve(connection)
        close(connection)
      }
    }
    close(listener)
  }

  private func serve(_ connection: Int32) {
    guard let request = RawRequest.read(from: connection) else { return }
    let attempt = Attempt(
      id: request.fields["webhook-id"] ?? "", body: String(decoding: request.body, as: UTF8.self),
      isSigned: isSigned(request))
    let (isNew, history) = state.withLock { state in
      state.attempts.append(attempt)
      return (state.known.insert(attempt.id).inserted, state.history)
    }
    guard attempt.isSigned else { return answer(connection, 401) }
    // A line that is not written is missed by the checker: the message counts as lost.
    try? history?.add(
      "delivery", [("at", .integer(ClientHistory.now)), ("id", .string(attempt.id)), ("body", .string(attempt.body))])
    if isNew, case .refuses(let status) = manner { return answer(connection, status) }
    state.withLock { $0.booked[attempt.id] = attempt.body }
    guard isNew else { return answer(connection, 204) }
    switch manner {
    case .cutsAfterBooking:
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    case .waits:
      while !state.withLock({ $0.isLetGo }) { Thread.sleep(forTimeInterval: 0.01) }
      answer(connection, 204)
    case .acknowledges, .refuses: answer(connection, 204)
    }
  }

  private func answer(_ connection: Int32, _ status: Int) {
    let text = "HTTP/1.1 \(status) Told\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    _ = Array(text.utf8).withUnsafeBytes {
      send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Standard Webhooks: HMAC-SHA256 over id, time and body.
  private func isSigned(_ request: HTTPRequest) -> Bool {
    guard let id = request.fields["webhook-id"], let time = request.fields["webhook-timestamp"],
      let signatures = request.fields["webhook-signature"]
    else { return false }
    let signed = Array("\(id).\(time).".utf8) + request.body
    return signatures.split(separator: " ").contains { signature in
      guard signature.hasPrefix("v1,"), let code = Base64.decode(String(signature.dropFirst(3))) else { return false }
      return HMACSHA256.isValid(code, for: signed, key: secret)
    }
  }
}

/// The parts of a request that a receiver needs, read from a socket.
private enum RawRequest {
  static func read(from connection: Int32) -> HTTPRequest? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      if let request = whole(bytes) { return request }
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }

  private static func whole(_ bytes: [UInt8]) -> HTTPRequest? {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    var request = HTTPRequest("POST", lines[0])
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      request.fields.add(String(line[..<colon]), value)
    }
    let length = request.fields["content-length"].flatMap { Int($0) } ?? 0
    let body = bytes[end.upperBound...]
    guard body.count >= length else { return nil }
    request.body = Array(body.prefix(length))
    return request
  }
}
