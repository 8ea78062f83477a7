import CounterfoilURLSession
import HTTPMessages
import HTTPServer
import PaymentPrimitives
import StrictJSON
import TestPlatform
import Testing

private let patient = TimeSpan.seconds(120)
private let short = TimeSpan.seconds(2)
private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/// Sends one request to a scripted server and returns the outcome.
private func outcome(
  _ steps: [ScriptedServer.Step], limit: TimeSpan = patient, answerBytesMax: Int = 1 << 20,
  request: HTTPRequest = HTTPRequest("POST", "/v1/x", body: [1, 2, 3])
) async throws -> (outcome: Result<HTTPResponse, HTTPExchangeError>, heads: [String]) {
  let server = try ScriptedServer(steps)
  defer { server.stop() }
  var request = request
  request.target = "http://127.0.0.1:\(server.port)\(request.target)"
  let result = await result(of: .urlSession(answerBytesMax: answerBytesMax), request, limit)
  return (result, server.received)
}

@Suite struct `An app's URLSession that gets no answer` {
  @Test(arguments: ["http://127.0.0.1:1/", "http://no-such-name.invalid/"])
  func `reports unreachable when no server is there`(target: String) async {
    #expect(await result(of: .urlSession(), HTTPRequest("POST", target, body: [1]), patient).kind == "unreachable")
    #expect(await result(of: .urlSession(), HTTPRequest("GET", target), patient).kind == "unreachable")
    // It cannot be known whether a kept connection delivered it first.
    #expect(await result(of: .urlSession(), HTTPRequest("POST", target), patient).kind == "outcomeUnknown")
  }

  @Test(arguments: ["", "ftp://127.0.0.1/x", "/v1/orders", "file:///etc/passwd", "https://", "http://[", "mailto:a@b"])
  func `refuses an address that is not http or https`(target: String) async {
    #expect(await result(of: .urlSession(), HTTPRequest("GET", target), patient).kind == "refusedTarget")
  }

  @Test func `refuses a server if no trusted authority signed its certificate (X15)`() async throws {
    let certificates = try await TestCertificates.other()
    let certificate = HTTPServerSettings.Certificate(
      chainFile: certificates.chainFile, keyFile: certificates.keyFile)
    try await withServer(certificate: certificate) { server in
      let request = HTTPRequest("POST", "https://localhost:\(server.address.port)/", body: [1])
      // Linux does not report why there is no connection, so the outcome is not certain.
      #expect(["unreachable", "outcomeUnknown"].contains(await result(of: .urlSession(), request, patient).kind))
      #expect(server.statistics.requestsReceived == 0)
    }
  }

  // An answer that is cut within its head ends the process on Linux, inside FoundationNetworking (decision 50).
  @Test(arguments: [
    ("closed after the request was read", [ScriptedServer.Step.readAndClose]),
    ("cut in the middle of the body", [.answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")]),
    ("cut in the middle of a chunk", [.answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc")]),
  ])
  func `reports an unknown outcome once the request may have been read`(
    what: String, steps: [ScriptedServer.Step]
  ) async throws {
    let found = try await outcome(steps)
    #expect(found.outcome.kind == "outcomeUnknown", "\(what)")
    #expect(found.heads.count == 1)
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
  func `reports an unknown outcome when the time limit passes before or during the answer`(
    begun: String
  ) async throws {
    #expect(try await outcome([.answerAndStay(begun)], limit: short).outcome.kind == "outcomeUnknown")
  }

  @Test func `reports unknown, not unreachable, when a kept connection and its replacement fail`() async throws {
    let server = try ScriptedServer([.answerOnceThenClose("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .reset])
    defer { server.stop() }
    let exchange = HTTPExchange.urlSession()
    let request = HTTPRequest("POST", "http://127.0.0.1:\(server.port)/", body: [1])
    #expect(await result(of: exchange, request, patient).kind == "answered")
    #expect(await result(of: exchange, request, patient).kind == "outcomeUnknown")
  }

  @Test func `has no password for a gateway that requires one, and does not hang`() async throws {
    let answer =
      "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\n{}"
    let found = try await outcome([.answer(answer)])
    #expect(["answered", "outcomeUnknown"].contains(found.outcome.kind))
    #expect(found.heads.count == 1)
  }

  @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "just some text"])
  func `reports an unreadable answer when it is not HTTP`(answer: String) async throws {
    #expect(try await outcome([.answer(answer)]).outcome.kind == "unreadableAnswer")
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + String(repeating: "x", count: 1001),
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "x", count: 1001),
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + String(repeating: "x", count: 1001)
      + "\r\n0\r\n\r\n",
  ])
  func `reports an unreadable answer when it is too large, and accepts one of exactly the limit`(
    answer: String
  ) async throws {
    #expect(try await outcome([.answer(answer)], answerBytesMax: 1000).outcome.kind == "unreadableAnswer")
    let fitting = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000)
    #expect(try await outcome([.answer(fitting)], answerBytesMax: 1000).outcome.kind == "answered")
  }
}

@Suite struct `An app's URLSession that gets an answer` {
  @Test(arguments: [301, 302, 303, 307, 308])
  func `does not follow a redirect`(status: Int) async throws {
    let answer = "HTTP/1.1 \(status) Elsewhere\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"
    let found = try await outcome([.answer(answer), .answer(ok)])
    #expect(try found.outcome.get().status == status)
    #expect(found.heads.count == 1)
  }

  @Test func `returns status, fields and body, and keeps no cookie and no credential`() async throws {
    let answer =
      "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nSet-Cookie: a=b\r\n"
      + "Content-Type: application/problem+json\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n{}"
    let server = try ScriptedServer([.answer(answer)])
    defer { server.stop() }
    let exchange = HTTPExchange.urlSession()
    let request = HTTPRequest("GET", "http://127.0.0.1:\(server.port)/", fields: ["Authorization": "Bearer t"])
    for _ in 0..<2 {
      let response = try await exchange.send(request, patient)
      #expect(response.status == 401 && response.body == Array("{}".utf8))
      #expect(response.fields["content-type"] == "application/problem+json")
      #expect(response.fields["Retry-After"] == "7")
    }
    #expect(server.received.count == 2)
    #expect(server.received.allSatisfy { $0.contains("Authorization: Bearer t") && !$0.contains("Cookie") })
  }

  @Test func `sends method, target, fields and body as given`() async throws {
    try await withServer { server in
      let request = HTTPRequest(
        "PUT", "http://127.0.0.1:\(server.address.port)/a/b?c=d%20e",
        fields: ["Idempotency-Key": "k", "Content-Length": "999", "Host": "other"], body: [1, 2, 3])
      let answer = try await HTTPExchange.urlSession().send(request, patient)
      let seen = try JSONReader.read(answer.body)
      #expect(seen["method"]?.string == "PUT" && seen["target"]?.string == "/a/b?c=d%20e")
      #expect(seen["bytes"]?.integer == 3)
    }
    let json = HTTPRequest("POST", "/x", json: .members([("a", .integer(1))]))
    let found = try await outcome([.answer(ok)], request: json)
    let head = try #require(found.heads.first)
    #expect(head.contains("Content-Type: application/json\r\n") || head.contains("Content-Type:application/json\r\n"))
  }

  @Test func `keeps its connection, and carries bodies of 1 MB`() async throws {
    let echo: HTTPServer.Handler = { request, _ in HTTPResponse(status: 200, body: request.body) }
    try await withServer(answer: echo) { server in
      let exchange = HTTPExchange.urlSession()
      let body = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let request = HTTPRequest("POST", "http://127.0.0.1:\(server.address.port)/", body: body)
      for _ in 0..<5 {
        let answer = await result(of: exchange, request, patient)
        #expect((try? answer.get())?.body == body)
      }
      #expect(server.statistics.connectionsAccepted == 1)
    }
  }
}

@Suite struct `An app's URLSession that is cancelled` {
  @Test func `returns at once from a cancelled task, while the other side is silent`() async throws {
    let server = try ScriptedServer([.answerAndStay("")])
    defer { server.stop() }
    let request = HTTPRequest("POST", "http://127.0.0.1:\(server.port)/", body: [1])
    let waiting = Task { await result(of: .urlSession(), request, patient).kind }
    #expect(try await eventually { server.received.count == 1 })
    waiting.cancel()
    #expect(await waiting.value == "cancelled")
  }

  @Test func `starts nothing in a task that is already cancelled`() async throws {
    let server = try ScriptedServer([.answer(ok)])
    defer { server.stop() }
    let request = HTTPRequest("POST", "http://127.0.0.1:\(server.port)/", body: [1])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await result(of: .urlSession(), request, patient).kind
    }
    #expect(await task.value == "cancelled")
    #expect(server.received.isEmpty)
  }

  @Test func `hangs in none of 600 exchanges, although every third is cancelled early`() async throws {
    try await withServer { server in
      let exchange = HTTPExchange.urlSession()
      let request = HTTPRequest("GET", "http://127.0.0.1:\(server.address.port)/")
      let kinds = await withTaskGroup(of: [String].self) { group in
        for _ in 0..<6 {
          group.addTask {
            var kinds: [String] = []
            for turn in 0..<100 {
              let task = Task { await result(of: exchange, request, patient).kind }
              if turn % 3 == 2 {
                for _ in 0..<turn % 7 { await Task.yield() }
                task.cancel()
              }
              kinds.append(await task.value)
            }
            return kinds
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      #expect(kinds.count == 600)
      #expect(Set(kinds).isSubset(of: ["answered", "cancelled"]))
      #expect(kinds.count { $0 == "answered" } >= 400)
    }
  }
}

@Suite struct `The dependencies of a device` {
  @Test func `return the time and different random bytes, and wait until they are cancelled`() async {
    let here = Dependencies.ofThisDevice
    #expect(here.now().milliseconds > 1_700_000_000_000)
    #expect(here.randomBytes(16).count == 16 && here.randomBytes(16) != here.randomBytes(16))
    let waiting = Task {
      do {
        try await here.sleep(.milliseconds(.max))
        return "woke"
      } catch { return "cancelled" }
    }
    waiting.cancel()
    #expect(await waiting.value == "cancelled")
  }
}
