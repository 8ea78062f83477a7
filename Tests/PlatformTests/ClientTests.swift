import HTTPClient
import HTTPMessages
import HTTPServer
import PaymentPrimitives
import Testing

private let patient = TimeSpan.seconds(120)
/// Long enough to connect and send on any machine. Tests that use it wait for all of it.
private let short = TimeSpan.seconds(2)

/// Sends one request to a scripted server and returns the outcome.
private func outcome(
  _ steps: [ScriptedServer.Step], limit: TimeSpan = patient,
  options: HTTPClientOptions = HTTPClientOptions(route: .anywhere),
  request: HTTPRequest = HTTPRequest("POST", "/v1/x", body: [1, 2, 3])
) async throws -> (outcome: Result<HTTPResponse, HTTPExchangeError>, heads: [String]) {
  let server = try ScriptedServer(steps)
  defer { server.stop() }
  let exchange = try HTTPClient().exchange(options)
  var request = request
  request.target = "http://127.0.0.1:\(server.port)\(request.target)"
  let result = await result(of: exchange, request, limit)
  return (result, server.received)
}

func result(
  of exchange: HTTPExchange, _ request: HTTPRequest, _ limit: TimeSpan
) async -> Result<HTTPResponse, HTTPExchangeError> {
  do throws(HTTPExchangeError) {
    return .success(try await exchange.send(request, limit))
  } catch {
    return .failure(error)
  }
}

extension Result where Success == HTTPResponse, Failure == HTTPExchangeError {
  /// The kind of error, without its text; `answered` if there is no error.
  var kind: String {
    switch self {
    case .success: "answered"
    case .failure(.unreachable): "unreachable"
    case .failure(.outcomeUnknown): "outcomeUnknown"
    case .failure(.unreadableAnswer): "unreadableAnswer"
    case .failure(.refusedTarget): "refusedTarget"
    case .failure(.cancelled): "cancelled"
    }
  }
}

private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite struct `A client that gets no answer` {
  @Test func `reports unreachable when no server listens`() async throws {
    let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
    // Port 1 of the loopback: nothing listens there, because only root may.
    let request = HTTPRequest("POST", "http://127.0.0.1:1/", body: [1])
    #expect(await result(of: exchange, request, patient).kind == "unreachable")
  }

  @Test func `reports unreachable when the name has no address`() async throws {
    let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
    let request = HTTPRequest("GET", "http://no-such-name.invalid/")
    #expect(await result(of: exchange, request, patient).kind == "unreachable")
  }

  @Test(arguments: [
    ("closed after the request was read", [ScriptedServer.Step.readAndClose]),
    ("cut in the middle of the head", [.answer("HTTP/1.1 200 OK\r\nContent-Le")]),
    ("cut in the middle of the body", [.answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")]),
    (
      "cut in the middle of a chunk",
      [.answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc")]
    ),
  ])
  func `reports an unknown outcome once the request may have been read`(
    what: String, steps: [ScriptedServer.Step]
  ) async throws {
    let found = try await outcome(steps)
    #expect(found.outcome.kind == "outcomeUnknown", "\(what)")
    #expect(found.heads.count == 1)
  }

  @Test func `reports an unknown outcome when the time limit passes after sending`() async throws {
    let found = try await outcome([.answerAndStay("")], limit: short)
    #expect(found.outcome.kind == "outcomeUnknown")
  }

  @Test func `applies the time limit to the whole answer, even if parts have arrived`() async throws {
    let found = try await outcome(
      [.answerAndStay("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")], limit: short)
    #expect(found.outcome.kind == "outcomeUnknown")
  }

  @Test func `reports unknown, not unreachable, when a kept connection and its replacement fail`() async throws {
    let server = try ScriptedServer([.answerOnceThenClose("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .reset])
    defer { server.stop() }
    let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
    let request = HTTPRequest("POST", "http://127.0.0.1:\(server.port)/", body: [1])
    #expect(await result(of: exchange, request, patient).kind == "answered")
    // The server has read the second request when its connection dies. The failed retry must not hide that.
    #expect(await result(of: exchange, request, patient).kind == "outcomeUnknown")
    #expect(server.received.count == 2)
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/0.9 200 OK\r\n\r\n", "just some text", "HTTP/1.1 99 Low\r\n\r\n",
    "HTTP/3.0 200 OK\r\n\r\n",
  ])
  func `reports an unreadable answer when it is not HTTP`(answer: String) async throws {
    #expect(try await outcome([.answer(answer)]).outcome.kind == "unreadableAnswer")
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "x", count: 1001),
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + String(repeating: "x", count: 1001)
      + "\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 20_000) + "\r\n",
    String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 4000),
  ])
  func `reports an unreadable answer when it is too large, and accepts one of exactly the limit`(
    answer: String
  ) async throws {
    let options = HTTPClientOptions(route: .anywhere, answerBytesMax: 1000)
    #expect(try await outcome([.answer(answer)], options: options).outcome.kind == "unreadableAnswer")
    let fitting = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000)
    #expect(try await outcome([.answer(fitting)], options: options).outcome.kind == "answered")
  }
}

@Suite struct `A client that gets an answer` {
  @Test(arguments: [301, 302, 303, 307, 308])
  func `does not follow a redirect, as A16 asks`(status: Int) async throws {
    let answer = "HTTP/1.1 \(status) Elsewhere\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"
    let found = try await outcome([.answer(answer)])
    #expect(try found.outcome.get().status == status)
    #expect(try found.outcome.get().fields["Location"] == "/other")
    #expect(found.heads.count == 1)
  }

  @Test func `returns status, fields and body, without interim answers and trailers`() async throws {
    let answer =
      "HTTP/1.1 100 Continue\r\nX: interim\r\n\r\nHTTP/1.1 201 Created\r\nX:  a \r\nx: b\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: trailer\r\n\r\n"
    let response = try await outcome([.answer(answer)]).outcome.get()
    #expect(response.status == 201)
    #expect(response.fields.values("X") == ["a", "b"])
    #expect(response.body == Array("abc".utf8))
  }

  @Test func `sends method, target, fields and body as given, and no relevant fields of its own`() async throws {
    let fields: HTTPFields = ["X-One": "1", "X-Empty": "", "Content-Length": "999", "Host": "other"]
    let found = try await outcome(
      [.answer(ok)], request: HTTPRequest("PUT", "/a/b?c=d%20e", fields: fields, body: [1, 2, 3]))
    let lines = try #require(found.heads.first).split(separator: "\r\n").map(String.init)
    #expect(lines.first == "PUT /a/b?c=d%20e HTTP/1.1")
    #expect(lines.contains("X-One: 1"))
    #expect(lines.contains("X-Empty:"))
    #expect(lines.contains("Content-Length: 3"))
    #expect(!lines.contains("Host: other"))
    for name in ["Expect", "Cookie", "Content-Type", "Accept-Encoding", "Authorization"] {
      #expect(!lines.contains { $0.hasPrefix(name + ":") }, "\(name)")
    }
  }

  @Test func `sends an empty body with length 0`() async throws {
    let found = try await outcome([.answer(ok)], request: HTTPRequest("POST", "/"))
    #expect(try #require(found.heads.first).contains("\r\nContent-Length: 0\r\n"))
    let get = try await outcome([.answer(ok)], request: HTTPRequest("GET", "/"))
    #expect(!(try #require(get.heads.first).contains("Content-Length")))
  }

  @Test func `sends HEAD without waiting for a body`() async throws {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"
    let found = try await outcome([.answer(answer)], request: HTTPRequest("HEAD", "/"))
    #expect(try found.outcome.get().body.isEmpty)
  }

  @Test func `keeps its connection for the next exchange`() async throws {
    try await withServer { server in
      let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
      let request = HTTPRequest("GET", "http://127.0.0.1:\(server.address.port)/")
      for _ in 0..<20 { #expect(await result(of: exchange, request, patient).kind == "answered") }
      #expect(server.statistics.connectionsAccepted == 1)
    }
  }

  @Test func `sends and receives bodies of 10 MB without waiting for 100 Continue`() async throws {
    let answer: HTTPServer.Handler = { request, _ in
      HTTPResponse(status: request.fields["Expect"] == nil ? 200 : 500, body: request.body)
    }
    try await withServer(answer: answer) { server in
      let exchange = try HTTPClient().exchange(
        HTTPClientOptions(route: .anywhere, answerBytesMax: 10 << 20))
      let body = (0..<10 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let request = HTTPRequest("POST", "http://127.0.0.1:\(server.address.port)/", body: body)
      let response = try await exchange.send(request, patient)
      #expect(response.status == 200)
      #expect(response.body == body)
    }
  }
}
