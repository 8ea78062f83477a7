import HTTPMessages
import HTTPServer
import PaymentPrimitives
import StrictJSON
import TestPlatform
import Testing

private let host = "Host: h\r\n"
private let tenMegabytes = [UInt8](repeating: 0x78, count: 10 << 20)

private func limits(_ change: (inout HTTPServerLimits) -> Void) -> HTTPServerLimits {
  var limits = HTTPServerLimits.patient
  change(&limits)
  return limits
}

/// Sends the bytes one at a time, with a pause after each, until the server answers.
private func drip(_ text: String, to connection: RawConnection) async -> [RawAnswer] {
  let sending = Task {
    for byte in text.utf8 {
      guard await connection.send([byte]) else { return }
      try await settle()
    }
  }
  let found = await connection.receiveAnswers(1)
  sending.cancel()
  _ = await sending.result
  return found
}

@Suite struct `A server with limits` {
  private static let small = limits { $0.bodyBytesMax = 65_536 }

  @Test func `refuses a declared body of 10 MB before reading it, and its sender gets the error`() async throws {
    try await withServer(Self.small) { server in
      let head = Array("POST / HTTP/1.1\r\n\(host)Content-Length: \(tenMegabytes.count)\r\n\r\n".utf8)
      let found = await answers(of: server, to: head + tenMegabytes)
      #expect(found.map(\.code) == ["http_body_too_large"])
      #expect(server.statistics.requestsReceived == 0)
    }
  }

  @Test func `refuses a chunked body of 10 MB once it is over the limit`() async throws {
    try await withServer(Self.small) { server in
      let chunk = Array("8000\r\n".utf8) + tenMegabytes.prefix(0x8000) + Array("\r\n".utf8)
      var bytes = Array("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n".utf8)
      for _ in 0..<320 { bytes += chunk }
      #expect(await answers(of: server, to: bytes).map(\.code) == ["http_body_too_large"])
      #expect(server.statistics.requestsReceived == 0)
    }
  }

  @Test(arguments: [
    ("/v1/orders", 100), ("/v1/orders/1/close", 100), ("/v1/%6Frders?x=y", 100), ("//v1//orders", 100),
    ("/v1/ordersheet", 1000), ("/v1/payments/app-store", 500), ("/", 1000),
  ])
  func `uses the limit of the longest matching path, escaped or not`(target: String, limit: Int) async throws {
    let limits = limits {
      $0.bodyBytesMax = 1000
      $0.bodyBytesMaxByPath = [
        .init("/v1/orders", bodyBytesMax: 100), .init("/v1/payments", bodyBytesMax: 200),
        .init("/v1/payments/app-store", bodyBytesMax: 500),
      ]
    }
    try await withServer(limits) { server in
      for (size, status) in [(limit, 200), (limit + 1, 413)] {
        let text =
          "POST \(target) HTTP/1.1\r\n\(host)Connection: close\r\nContent-Length: \(size)\r\n\r\n"
          + String(repeating: "x", count: size)
        #expect(await answers(of: server, to: text).map(\.status) == [status])
      }
    }
  }

  @Test func `never allows a path more than the server's own limit`() async throws {
    let limits = limits {
      $0.bodyBytesMax = 10
      $0.bodyBytesMaxByPath = [.init("/big", bodyBytesMax: 1000)]
    }
    try await withServer(limits) { server in
      let text = "POST /big HTTP/1.1\r\n\(host)Content-Length: 11\r\n\r\n" + String(repeating: "x", count: 11)
      #expect(await answers(of: server, to: text).map(\.code) == ["http_body_too_large"])
    }
  }

  @Test func `closes at an absolute deadline if a head arrives byte by byte`() async throws {
    // A connection without a byte is closed at the same deadline, without an answer: the first byte must come earlier,
    // also on a busy machine.
    try await withServer(limits { $0.headDeadline = .seconds(3) }) { server in
      let connection = try await RawConnection(port: server.address.port)
      let endless = "GET / HTTP/1.1\r\n\(host)X: " + String(repeating: "x", count: 10_000)
      #expect(await drip(endless, to: connection).map(\.code) == ["http_request_too_slow"])
    }
  }

  @Test func `closes at an absolute deadline if a body arrives byte by byte`() async throws {
    try await withServer(limits { $0.bodyDeadline = .milliseconds(200) }) { server in
      let connection = try await RawConnection(port: server.address.port)
      await connection.send("POST / HTTP/1.1\r\n\(host)Content-Length: 10000\r\n\r\n")
      let slow = String(repeating: "x", count: 10_000)
      #expect(await drip(slow, to: connection).map(\.code) == ["http_request_too_slow"])
      let chunked = try await RawConnection(port: server.address.port)
      await chunked.send("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n")
      let chunks = String(repeating: "1\r\nx\r\n", count: 2000)
      #expect(await drip(chunks, to: chunked).map(\.code) == ["http_request_too_slow"])
      #expect(server.statistics.requestsReceived == 0)
    }
  }

  @Test func `closes a connection if its client announces a body and sends nothing`() async throws {
    try await withServer(limits { $0.bodyDeadline = .milliseconds(200) }) { server in
      let text = "POST / HTTP/1.1\r\n\(host)Expect: 100-continue\r\nContent-Length: 5\r\n\r\n"
      #expect(
        await answers(of: server, to: text).map { $0.code ?? "\($0.status)" } == ["100", "http_request_too_slow"])
    }
  }

  @Test func `closes an idle connection without an answer, whether new or used`() async throws {
    try await withServer(limits { $0.headDeadline = .milliseconds(200) }) { server in
      let silent = try await RawConnection(port: server.address.port)
      #expect(await silent.receiveUntilClosed() == [])
    }
    try await withServer(limits { $0.idleDeadline = .milliseconds(200) }) { server in
      let used = try await RawConnection(port: server.address.port)
      await used.send("GET / HTTP/1.1\r\n\(host)\r\n")
      let all = await used.receiveUntilClosed() ?? []
      #expect(RawAnswer.all(in: all).map(\.status) == [200])
    }
  }

  @Test func `disconnects a client that does not read its answer`() async throws {
    let limits = limits {
      $0.answerDeadline = .milliseconds(200)
      $0.bytesPerSecondMin = 1 << 30
    }
    try await withServer(limits, answer: { _, _ in HTTPResponse(status: 200, body: tenMegabytes) }) { server in
      let connection = try await RawConnection(port: server.address.port)
      await connection.send("GET / HTTP/1.1\r\n\(host)\r\n")
      #expect(try await eventually { server.statistics.requestsReceived == 1 })
      #expect(try await eventually { server.statistics.connectionsOpen == 0 })
      #expect((await connection.receiveUntilClosed() ?? []).count < tenMegabytes.count)
    }
  }

  @Test func `serves 50 of 70 clients with 50 connections, and answers the others with an error`() async throws {
    let gate = Gate()
    let answer: HTTPServer.Handler = { request, peer in
      await gate.wait()
      return await describe(request, peer)
    }
    let limits = limits {
      $0.connectionsMax = 50
      $0.connectionSharePercent = 100
    }
    try await withServer(limits, answer: answer) { server in
      let text = "GET / HTTP/1.1\r\n\(host)Connection: close\r\n\r\n"
      var first: [RawConnection] = []
      for _ in 0..<50 {
        let connection = try await RawConnection(port: server.address.port)
        await connection.send(text)
        first.append(connection)
      }
      #expect(try await eventually { server.statistics.requestsReceived == 50 })
      for _ in 0..<20 {
        // The client sends nothing: unread bytes would turn the server's last answer into a reset.
        let late = try await RawConnection(port: server.address.port)
        let found = RawAnswer.all(in: await late.receiveUntilClosed() ?? [])
        #expect(found.map(\.code) == ["http_server_busy"])
        #expect(found.first?.field("Retry-After") == "1")
      }
      gate.open()
      for connection in first {
        #expect(RawAnswer.all(in: await connection.receiveUntilClosed() ?? []).map(\.status) == [200])
      }
      first = []
      #expect(try await eventually { server.statistics.connectionsOpen == 0 })
      #expect(await answers(of: server, to: text).map(\.status) == [200])
    }
  }

  @Test func `holds no more bytes of large bodies than allowed, and still accepts small ones`() async throws {
    let gate = Gate()
    let answer: HTTPServer.Handler = { request, peer in
      if request.target == "/wait" { await gate.wait() }
      return await describe(request, peer)
    }
    let limits = limits { $0.heldBodyBytesMax = 3 << 20 }
    try await withServer(limits, answer: answer) { server in
      @Sendable func post(_ target: String, _ size: Int) -> [UInt8] {
        Array("POST \(target) HTTP/1.1\r\n\(host)Connection: close\r\nContent-Length: \(size)\r\n\r\n".utf8)
          + tenMegabytes.prefix(size)
      }
      let first = try await RawConnection(port: server.address.port)
      await first.send(post("/wait", 2 << 20))
      #expect(try await eventually { server.statistics.requestsReceived == 1 })
      #expect(server.statistics.heldBodyBytes > 1 << 20)
      #expect(await answers(of: server, to: post("/a", 2 << 20)).map(\.code) == ["http_server_busy"])
      #expect(await answers(of: server, to: post("/a", 64 << 10)).map(\.status) == [200])
      gate.open()
      #expect(RawAnswer.all(in: await first.receiveUntilClosed() ?? []).map(\.status) == [200])
      #expect(await answers(of: server, to: post("/a", 2 << 20)).map(\.status) == [200])
      #expect(try await eventually { server.statistics.heldBodyBytes == 0 })
    }
  }
}
