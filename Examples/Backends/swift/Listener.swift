// Serves Backend.swift over HTTP/1.1, because Foundation has no server: one request for each connection, with bounds on
// everything. In your project the web framework does this, and calls the same functions of Backend.swift.
//
// It reads these environment variables:
//
// PORT                          where it listens on this machine; 0 lets the system choose
// BOOK                          the file of its database
// COUNTERFOIL_SERVER            the address of the server
// COUNTERFOIL_SECRET_KEY        cfs_…
// COUNTERFOIL_WEBHOOK_SECRETS   whsec_…; several with spaces between them while one is replaced
// COUNTERFOIL_APP, COUNTERFOIL_USER_TOKEN_KID, COUNTERFOIL_USER_TOKEN_SECRET   as in the server's configuration
// COUNTERFOIL_ENVIRONMENT       the environment that is booked; `production` unless it says otherwise
// BEHIND_PROXY                  `yes` if a proxy of yours writes X-Forwarded-For: WeChat's H5 needs the payer's address

import Foundation

struct Request: Sendable {
  var method = ""
  var path = ""
  var query = ""
  /// By their names in lower case.
  var headers: [String: String] = [:]
  var body = Data()
}

extension Backend {
  /// Whose session it is. This one believes everybody who knows a name: put your own check in its place.
  private func user(of request: Request) throws -> String {
    let begin = "Bearer session-of-"
    guard let header = request.headers["authorization"], header.hasPrefix(begin) else {
      throw Refusal(401, "session_missing")
    }
    return String(header.dropFirst(begin.count))
  }

  private func result(of request: Request, from peer: String) async throws -> Answer {
    let now = Int(Date().timeIntervalSince1970)
    let route = request.method + " " + request.path
    if route == "POST /counterfoil" {
      try receive(request.headers, request.body, now: now)
      return Answer(status: 204, body: "")
    }
    let user = try user(of: request)
    let text = String(decoding: request.body, as: UTF8.self)
    switch route {
    case "GET /balances":
      let balances = try JSONEncoder().encode(book.balances(of: user))
      return Answer(status: 200, body: String(decoding: balances, as: UTF8.self))
    case "POST /user-token":
      return Answer(status: 200, body: #"{"token":"\#(try userToken(for: user, now: now))"}"#)
    case "POST /v1/orders":
      // The last address is the one that our own proxy has added.
      let forwarded = isBehindProxy ? request.headers["x-forwarded-for"]?.split(separator: ",").last : nil
      let address = forwarded?.trimmingCharacters(in: .whitespaces) ?? peer
      return try await createOrder(
        user, phoneKey: request.headers["idempotency-key"] ?? "", text, from: address)
    default: return try await forward(user, request.method, request.path, request.query, text)
    }
  }

  /// Whatever goes wrong is an answer that makes the other side ask again.
  func answer(to request: Request, from peer: String) async -> Answer {
    do { return try await result(of: request, from: peer) } catch let refusal as Refusal {
      return Answer(status: refusal.status, body: #"{"code":"\#(refusal.code)"}"#)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      return Answer(status: 503, body: #"{"code":"try_again"}"#)
    }
  }
}

/// One accepted connection.
struct Connected: Sendable {
  private static let headMax = 32 * 1024
  let socket: Int32
  let peer: String

  /// Reads a request within the bounds.
  func request() throws -> Request {
    var bytes = Data()
    let end = Data("\r\n\r\n".utf8)
    var head: Range<Data.Index>?
    while head == nil {
      guard bytes.count < Self.headMax, let more = read(), !more.isEmpty else { throw Refusal(400, "head_unreadable") }
      bytes += more
      head = bytes.range(of: end)
    }
    guard let head else { throw Refusal(400, "head_unreadable") }
    let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    var request = Request()
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { throw Refusal(400, "head_unreadable") }
    request.method = String(words[0])
    let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    request.path = String(target[0])
    request.query = target.count > 1 ? String(target[1]) : ""
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { throw Refusal(400, "head_unreadable") }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      request.headers[line[..<colon].lowercased()] = value
    }
    guard request.headers["transfer-encoding"] == nil, let length = Int(request.headers["content-length"] ?? "0"),
      length >= 0
    else { throw Refusal(411, "length_missing") }
    guard length <= Backend.bodyMax else { throw Refusal(413, "body_too_large") }
    request.body = Data(bytes[head.upperBound...].prefix(length))
    while request.body.count < length {
      guard let more = read(), !more.isEmpty else { throw Refusal(400, "body_unreadable") }
      request.body += more.prefix(length - request.body.count)
    }
    return request
  }

  /// Nil after an error, or a minute without a byte.
  private func read() -> Data? {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    let count = recv(socket, &buffer, buffer.count, 0)
    return count < 0 ? nil : Data(buffer.prefix(count))
  }

  func send(_ answer: Answer) {
    let body = Data(answer.body.utf8)
    var head = "HTTP/1.1 \(answer.status) Answer\r\nConnection: close\r\n"
    if !body.isEmpty { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
    var rest = Array(Data((head + "\r\n").utf8) + body)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Closes after the other side has stopped sending, so that it can read the answer to a body that is too large.
  func close() {
    shutdown(socket, Int32(SHUT_WR))
    var drained = 0
    while drained < 4 * Backend.bodyMax, let more = read(), !more.isEmpty { drained += more.count }
    Foundation.close(socket)
  }
}

@main struct Listener {
  static func main() throws {
    signal(SIGPIPE, SIG_IGN)
    let settings = ProcessInfo.processInfo.environment
    let schema = try String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
    let backend = try Backend(settings, book: Book(at: settings["BOOK"] ?? "book.db", schema: schema))
    let socket = try listen(on: UInt16(settings["PORT"] ?? "8090") ?? 8090)
    while true {
      var address = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let accepted = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept(socket, $0, &size) }
      }
      guard accepted >= 0 else { continue }
      var limit = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(accepted, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      let connected = Connected(socket: accepted, peer: String(cString: inet_ntoa(address.sin_addr)))
      Thread.detachNewThread { serve(connected, backend) }
    }
  }

  /// On a thread of its own, because reading a request blocks.
  private static func serve(_ connected: Connected, _ backend: Backend) {
    do {
      let request = try connected.request()
      Task {
        connected.send(await backend.answer(to: request, from: connected.peer))
        connected.close()
      }
    } catch {
      let refusal = error as? Refusal ?? Refusal(400, "head_unreadable")
      connected.send(Answer(status: refusal.status, body: #"{"code":"\#(refusal.code)"}"#))
      connected.close()
    }
  }

  private struct Failure: Error { let message: String }

  private static func listen(on port: UInt16) throws -> Int32 {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let made = socket(AF_INET, stream, 0)
    var yes: Int32 = 1
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(made, $0, size) == 0 && Foundation.listen(made, 100) == 0 && getsockname(made, $0, &size) == 0
      }
    }
    guard isOpen else { throw Failure(message: "port \(port): \(String(cString: strerror(errno)))") }
    print("http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
    fflush(nil)
    return made
  }
}
