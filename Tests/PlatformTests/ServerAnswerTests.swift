import Foundation
import HTTPMessages
import HTTPServer
import PaymentPrimitives
import StrictJSON
import Synchronization
import TestPlatform
import Testing

private let get = "GET /a?b=c HTTP/1.1\r\nHost: h\r\n"
private let post = "POST /a HTTP/1.1\r\nHost: h\r\n"

@Suite struct `A server that answers` {
  @Test func `passes on method, target, body and the client's own address`() async throws {
    try await withServer { server in
      let found = await answers(
        of: server, to: post + "Connection: close\r\nContent-Length: 3\r\n\r\nabc")
      #expect(found.map(\.status) == [200])
      #expect(found.first?.json?["method"]?.string == "POST")
      #expect(found.first?.json?["target"]?.string == "/a")
      #expect(found.first?.json?["bytes"]?.integer == 3)
      #expect(found.first?.json?["peer"]?.string == "127.0.0.1")
    }
  }

  @Test func `reports an IPv4 client as IPv4 on a socket of both families`() async throws {
    try await withServer(address: "::") { server in
      let found = await answers(of: server, to: get + "Connection: close\r\n\r\n")
      #expect(found.first?.json?["peer"]?.string == "127.0.0.1")
    }
  }

  @Test func `handles all requests of a connection on one thread`() async throws {
    let threads = Mutex<[String: Set<ObjectIdentifier>]>([:])
    var limits = HTTPServerLimits.patient
    limits.threads = 2
    try await withServer(
      limits,
      answer: { request, _ in
        for _ in 0..<5 {
          threads.withLock { _ = $0[request.target, default: []].insert(ObjectIdentifier(Thread.current)) }
          await Task.yield()
        }
        return HTTPResponse(status: 200)
      }
    ) { server in
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<4 {
          group.addTask {
            let text = "GET /\(number) HTTP/1.1\r\nHost: h\r\n"
            let found = await answers(
              of: server, to: String(repeating: text + "\r\n", count: 20) + text + "Connection: close\r\n\r\n")
            #expect(found.count == 21)
          }
        }
      }
    }
    let found = threads.withLock { $0 }
    #expect(found.count == 4)
    #expect(found.values.allSatisfy { $0.count == 1 })
    #expect(found.values.reduce(Set<ObjectIdentifier>()) { $0.union($1) }.count == 2)
  }

  @Test func `dates its answers, and does not name its software`() async throws {
    try await withServer(answer: { _, _ in
      HTTPResponse(status: 200, fields: ["Server": "x", "Date": "yesterday", "X-Own": "1"])
    }) { server in
      let found = await answers(of: server, to: get + "Connection: close\r\n\r\n")
      let answer = try #require(found.first)
      #expect(answer.field("Server") == nil)
      #expect(answer.field("X-Own") == "1")
      #expect(answer.fields.count { $0.hasPrefix("Date:") } == 1)
      let form = /(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z][a-z] \d{4} \d\d:\d\d:\d\d GMT/
      #expect(try #require(answer.field("Date")).wholeMatch(of: form) != nil)
    }
  }

  @Test func `keeps an HTTP 1.1 connection unless it is asked to close it`() async throws {
    try await withServer { server in
      let connection = try await RawConnection(port: server.address.port)
      for _ in 0..<3 {
        await connection.send(get + "\r\n")
        let found = await connection.receiveAnswers(1)
        #expect(found.map(\.status) == [200])
        #expect(found.first?.field("Connection") == nil)
      }
      await connection.send(get + "Connection: close\r\n\r\n")
      let last = RawAnswer.all(in: await connection.receiveUntilClosed() ?? [])
      #expect(last.map { $0.field("Connection") } == ["close"])
      #expect(server.statistics.connectionsAccepted == 1)
    }
  }

  @Test func `closes an HTTP 1.0 connection unless it is asked to keep it`() async throws {
    try await withServer { server in
      let closed = await answers(of: server, to: "GET /a HTTP/1.0\r\n\r\n")
      #expect(closed.map(\.status) == [200])
      #expect(closed.first?.field("Connection") == "close")
      let connection = try await RawConnection(port: server.address.port)
      await connection.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(await connection.receiveAnswers(1).first?.field("Connection") == "keep-alive")
      await connection.send("GET /a HTTP/1.0\r\n\r\n")
      #expect(await connection.receiveAnswers(1).first?.field("Connection") == "close")
    }
  }

  @Test func `answers HEAD with the length and without the body`() async throws {
    try await withServer { server in
      let whole = await answers(of: server, to: get + "Connection: close\r\n\r\n")
      let connection = try await RawConnection(port: server.address.port)
      await connection.send("HEAD /a?b=c HTTP/1.1\r\nHost: h\r\n\r\n" + get + "Connection: close\r\n\r\n")
      let bytes = await connection.receiveUntilClosed() ?? []
      let head = try #require(RawAnswer.all(in: bytes, toHEAD: true).first)
      #expect(head.field("Content-Length").flatMap { Int($0) } == (whole.first?.body.utf8.count ?? 0) + 1)
      // The next answer directly follows the head.
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.split(separator: "\r\n\r\n")[1].hasPrefix("HTTP/1.1 200 OK"))
    }
  }

  @Test(arguments: [204, 304])
  func `sends neither body nor length with a status that has none`(status: Int) async throws {
    try await withServer(answer: { _, _ in HTTPResponse(status: status, body: [1, 2]) }) { server in
      let connection = try await RawConnection(port: server.address.port)
      await connection.send(get + "Connection: close\r\n\r\n")
      let text = String(decoding: await connection.receiveUntilClosed() ?? [], as: UTF8.self)
      #expect(text.hasPrefix("HTTP/1.1 \(status) "))
      #expect(!text.contains("Content-Length"))
      #expect(text.hasSuffix("\r\n\r\n"))
    }
  }

  @Test(arguments: [
    HTTPResponse(status: 200, fields: ["X": "a\r\nSet-Cookie: b"]),
    HTTPResponse(status: 200, fields: ["X": "a\u{0}b"]),
    HTTPResponse(status: 200, fields: ["X: y\r\nZ": "a"]),
    HTTPResponse(status: 200, fields: ["": "a"]),
    HTTPResponse(status: 101), HTTPResponse(status: 600), HTTPResponse(status: -1),
  ])
  func `sends an error instead of an answer that could be read as two`(response: HTTPResponse) async throws {
    try await withServer(answer: { _, _ in response }) { server in
      let found = await answers(of: server, to: get + "Connection: close\r\n\r\n")
      #expect(found.map(\.code) == ["http_answer_invalid"])
      #expect(found.first?.fields.contains { $0.hasPrefix("Set-Cookie") } == false)
    }
  }

  @Test func `sends a plain error when the given error answer cannot be sent`() async throws {
    let server = try HTTPServer(
      HTTPServerSettings(), refuse: { _, _ in HTTPResponse(status: 42) }, answer: describe)
    async let end = server.run()
    #expect(await answers(of: server, to: "GET\r\n\r\n").map(\.code) == ["http_request_malformed"])
    server.stop()
    #expect(await end == .drained)
  }

  @Test func `reads a body of 10 MB in chunks of every size, and ignores the trailers`() async throws {
    try await withServer { server in
      var body = ""
      var size = 0
      for turn in 0..<400 {
        let count = turn * 131 + 1
        size += count
        body += String(count, radix: 16) + ";name=value\r\n" + String(repeating: "x", count: count) + "\r\n"
      }
      body += "0\r\nX-Trailer: y\r\n\r\n"
      let head = post + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
      let found = await answers(of: server, to: head + body)
      #expect(found.first?.json?["bytes"]?.integer == Int64(size))
      #expect(size > 10_000_000)
    }
  }

  @Test func `reads requests that arrive byte by byte`() async throws {
    try await withServer { server in
      let connection = try await RawConnection(port: server.address.port)
      let text =
        post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n"
        + post + "Content-Length: 2\r\nConnection: close\r\n\r\nab"
      for byte in text.utf8 { await connection.send([byte]) }
      let found = RawAnswer.all(in: await connection.receiveUntilClosed() ?? [])
      #expect(found.map { $0.json?["bytes"]?.integer } == [3, 2])
    }
  }

  @Test func `reads a last chunk that arrives in three pieces`() async throws {
    try await withServer { server in
      let connection = try await RawConnection(port: server.address.port)
      let head = post + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
      for piece in [head + "0\r\n", "\r", "\n"] {
        await connection.send(piece)
        try await settle()
      }
      let found = RawAnswer.all(in: await connection.receiveUntilClosed() ?? [])
      #expect(found.map { $0.json?["bytes"]?.integer } == [0])
    }
  }

  @Test func `accepts one empty line before a request`() async throws {
    try await withServer { server in
      let text = "\r\n" + get + "\r\n\r\n" + get + "Connection: close\r\n\r\n"
      #expect(await answers(of: server, to: text).map(\.status) == [200, 200])
    }
  }

  @Test func `sends 100 Continue for a body that its client holds back, and only then`() async throws {
    try await withServer { server in
      let connection = try await RawConnection(port: server.address.port)
      await connection.send(post + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      #expect(await connection.receiveAnswers(1).map(\.status) == [100])
      await connection.send("abc")
      #expect(await connection.receiveAnswers(1).first?.json?["bytes"]?.integer == 3)
      await connection.send(post + "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n")
      #expect(await connection.receiveAnswers(1).map(\.status) == [100])
      await connection.send("3\r\nabc\r\n0\r\n\r\n")
      #expect(await connection.receiveAnswers(1).first?.json?["bytes"]?.integer == 3)
      // The body has already arrived: its client does not wait for 100 Continue.
      await connection.send(post + "Expect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc")
      #expect(RawAnswer.all(in: await connection.receiveUntilClosed() ?? []).map(\.status) == [200])
    }
  }

  @Test func `does not send 100 Continue for a body that it will not read`() async throws {
    try await withServer { server in
      let head = post + "Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n"
      #expect(await answers(of: server, to: head).map(\.code) == ["http_body_too_large"])
    }
  }

  @Test func `answers pipelined requests one by one, in their order`() async throws {
    let gate = Gate()
    try await withServer(answer: { request, peer in
      if request.target == "/slow" { await gate.wait() }
      return await describe(request, peer)
    }) { server in
      let connection = try await RawConnection(port: server.address.port)
      await connection.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n" + get + "Connection: close\r\n\r\n")
      #expect(try await eventually { server.statistics.requestsReceived == 1 })
      gate.open()
      let found = RawAnswer.all(in: await connection.receiveUntilClosed() ?? [])
      #expect(found.map { $0.json?["target"]?.string } == ["/slow", "/a?b=c"])
    }
  }
}
