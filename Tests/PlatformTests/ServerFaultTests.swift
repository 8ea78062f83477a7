import Foundation
import HTTPMessages
import HTTPServer
import PaymentPrimitives
import SystemPlatform
import TestPlatform
import Testing

private let host = "Host: h\r\n"

/// The resident memory of this process in bytes; 0 if the system does not report it.
private func residentBytes() -> Int {
  guard let text = try? Files.read("/proc/self/statm", bytesMax: 4096) else { return 0 }
  let words = String(decoding: text, as: UTF8.self).split(separator: " ")
  return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * 4096
}

/// Resets 100 connections during the body, 100 during the handler, and 100 while the answer is written.
///
/// - Parameter openMax: so many may be open at the same time: glibc keeps the memory of the busiest moment.
private func vanish(from server: HTTPServer, openMax: Int = 300) async throws {
  let large = [UInt8](repeating: 0x78, count: 200_000)
  for turn in 0..<300 {
    let connection = try await RawConnection(port: server.address.port)
    switch turn % 3 {
    case 0:
      await connection.send("POST / HTTP/1.1\r\n\(host)Content-Length: 1000000\r\n\r\n")
      await connection.send(large)
    case 1:
      await connection.send("POST /wait HTTP/1.1\r\n\(host)Content-Length: \(large.count)\r\n\r\n")
      await connection.send(large)
    default: await connection.send("GET /large HTTP/1.1\r\n\(host)\r\n")
    }
    connection.reset()
    #expect(try await eventually { server.statistics.connectionsOpen <= openMax })
  }
}

@Suite struct `A server with clients that disappear` {
  // It runs in its own process, because the memory of other tests would count, too.
  @Test func `survives 300 resets during bodies, handlers and answers, and keeps no memory of them`() async {
    await #expect(processExitsWith: .success) {
      let gate = Gate()
      let body = [UInt8](repeating: 0x78, count: 4 << 20)
      let answer: HTTPServer.Handler = { request, peer in
        if request.target == "/wait" { await gate.wait() }
        return request.target == "/large" ? HTTPResponse(status: 200, body: body) : await describe(request, peer)
      }
      try await withServer(answer: answer) { server in
        try await vanish(from: server)
        gate.open()
        #expect(try await eventually { server.statistics.connectionsOpen == 0 })
        #expect(server.statistics.heldBodyBytes == 0)
        let before = residentBytes()
        for _ in 0..<3 { try await vanish(from: server, openMax: 6) }
        #expect(try await eventually { server.statistics.connectionsOpen == 0 })
        #expect(server.statistics.heldBodyBytes == 0)
        // 900 more resets, each with 200 kB or 4 MB in transit: a leak would be hundreds of megabytes.
        #expect(residentBytes() - before < 64 << 20)
        let found = await answers(of: server, to: "GET / HTTP/1.1\r\n\(host)Connection: close\r\n\r\n")
        #expect(found.map(\.status) == [200])
      }
    }
  }

  @Test func `stops reading from a client that sends requests and never reads answers`() async throws {
    let body = [UInt8](repeating: 0x78, count: 100_000)
    try await withServer(answer: { _, _ in HTTPResponse(status: 200, body: body) }) { server in
      let connection = try await RawConnection(port: server.address.port)
      let many = String(repeating: "GET / HTTP/1.1\r\n\(host)\r\n", count: 200_000)
      let sending = Task { await connection.send(many) }
      #expect(try await eventually { server.statistics.requestsReceived > 0 })
      // Once the answers fill the buffers, the count stays the same.
      var last = -1
      var now = server.statistics.requestsReceived
      while now != last {
        last = now
        for _ in 0..<10 { try await settle() }
        now = server.statistics.requestsReceived
      }
      #expect(now < 1000)
      #expect(server.statistics.connectionsOpen == 1)
      connection.abandon()
      #expect(await sending.value == false)
    }
  }

  @Test func `reserves the last descriptors, and rejects clients`() async {
    await #expect(processExitsWith: .success) {
      try await withServer { server in
        let text = "GET / HTTP/1.1\r\n\(host)\r\n"
        let first = try await RawConnection(port: server.address.port)
        await first.send(text)
        #expect(await first.receiveAnswers(1).map(\.status) == [200])
        // Each connection takes two descriptors here. The last quarter of them is not for clients. The system's timers
        // open their own descriptors at their first use, and trap if they get none.
        try await settle()
        let most = 2 * lowestFreeDescriptor() + 100
        #expect(limitOpenFiles(to: most))
        let taken = takeDescriptors(upTo: most - most / 4 - 5)
        var served: [RawConnection] = []
        while served.count < 20 {
          let connection = try await RawConnection(port: server.address.port)
          await connection.send(text)
          guard await connection.receiveAnswers(1).map(\.status) == [200] else { break }
          served.append(connection)
        }
        #expect(served.count < 10)
        await first.send(text)
        #expect(await first.receiveAnswers(1).map(\.status) == [200])
        for descriptor in taken { close(descriptor) }
        let third = await answers(of: server, to: "GET / HTTP/1.1\r\n\(host)Connection: close\r\n\r\n")
        #expect(third.map(\.status) == [200])
      }
    }
  }

  @Test func `continues after connections that close without sending`() async throws {
    try await withServer { server in
      for _ in 0..<200 { _ = try await RawConnection(port: server.address.port) }
      let found = await answers(of: server, to: "GET / HTTP/1.1\r\n\(host)Connection: close\r\n\r\n")
      #expect(found.map(\.status) == [200])
      #expect(try await eventually { server.statistics.connectionsOpen == 0 })
    }
  }
}

@Suite struct `A server that is stopped` {
  private let text = "GET / HTTP/1.1\r\n\(host)\r\n"

  private func server(
    drainLimit: TimeSpan = .seconds(30), answer: @escaping HTTPServer.Handler = describe
  ) throws -> HTTPServer {
    var limits = HTTPServerLimits()
    limits.drainLimit = drainLimit
    return try HTTPServer(
      HTTPServerSettings(limits: limits),
      refuse: { error, _ in error.answer(requestIdentifier: "r1") }, answer: answer)
  }

  @Test(arguments: [true, false])
  func `answers requests that it has started, closes, and accepts nothing new`(byCancellation: Bool) async throws {
    let gate = Gate()
    // On a busy machine the connections below alone take more than half a minute.
    let server = try server(drainLimit: .hours(1)) { request, peer in
      await gate.wait()
      return HTTPResponse(status: Task.isCancelled ? 500 : 200)
    }
    let running = Task { await server.run() }
    let connection = try await RawConnection(port: server.address.port)
    await connection.send(text)
    #expect(try await eventually { server.statistics.requestsReceived == 1 })
    if byCancellation { running.cancel() } else { server.stop() }
    var refused = false
    for _ in 0..<3000 where !refused {
      refused = (try? await RawConnection(port: server.address.port)) == nil
    }
    #expect(refused)
    gate.open()
    let found = RawAnswer.all(in: await connection.receiveUntilClosed() ?? [])
    #expect(found.map(\.status) == [200])
    #expect(found.first?.field("Connection") == "close")
    #expect(await running.value == .drained)
  }

  @Test func `closes idle connections at once`() async throws {
    let server = try server()
    let running = Task { await server.run() }
    let idle = try await RawConnection(port: server.address.port)
    await idle.send(text)
    #expect(await idle.receiveAnswers(1).map(\.status) == [200])
    let silent = try await RawConnection(port: server.address.port)
    #expect(try await eventually { server.statistics.connectionsOpen == 2 })
    server.stop()
    #expect(await idle.receiveUntilClosed() == [])
    #expect(await silent.receiveUntilClosed() == [])
    #expect(await running.value == .drained)
  }

  /// At a restart such a connection is there already, and its caller must not lose the call.
  @Test func `still answers the first request of a connection that it has accepted, and closes`() async throws {
    // Two seconds are allowed. A busy machine may need longer for the few steps here: then it is tried again.
    for _ in 0..<20 {
      let server = try server()
      let running = Task { await server.run() }
      let new = try await RawConnection(port: server.address.port)
      #expect(try await eventually { server.statistics.connectionsOpen == 1 })
      let start = ContinuousClock.now
      server.stop()
      // The stop has arrived once the port is closed.
      for _ in 0..<3000 where (try? await RawConnection(port: server.address.port)) != nil {}
      await new.send(text)
      let isInTime = ContinuousClock.now - start < .seconds(1)
      let found = RawAnswer.all(in: await new.receiveUntilClosed() ?? [])
      #expect(await running.value == .drained)
      guard isInTime else { continue }
      #expect(found.map(\.status) == [200] && found.first?.field("Connection") == "close")
      return
    }
  }

  @Test func `cancels and disconnects unfinished requests at the end of the drain`() async throws {
    let server = try server(drainLimit: .milliseconds(100)) { _, _ in
      try? await Dependencies.system.sleep(.hours(1))
      return HTTPResponse(status: 200)
    }
    let running = Task { await server.run() }
    let connection = try await RawConnection(port: server.address.port)
    await connection.send(text)
    #expect(try await eventually { server.statistics.requestsReceived == 1 })
    server.stop()
    #expect(await running.value == .cutShort)
    #expect((await connection.receiveUntilClosed() ?? []).isEmpty)
  }

  @Test func `ends at once if it was stopped before it ran`() async throws {
    let server = try server()
    server.stop()
    #expect(await server.run() == .drained)
    server.stop()
    #expect(server.statistics.connectionsOpen == 0)
  }

  @Test func `releases its port if it never ran`() async throws {
    var port: UInt16 = 0
    do { port = try server().address.port }
    let again = try HTTPServer(
      HTTPServerSettings(port: port), refuse: { error, _ in error.answer(requestIdentifier: "") },
      answer: describe)
    #expect(again.address.port == port)
  }
}

@Suite struct `A server that cannot be opened` {
  private func open(_ settings: HTTPServerSettings) throws(CodedError<HTTPServerErrorCode>) {
    _ = try HTTPServer(
      settings, refuse: { error, _ in error.answer(requestIdentifier: "") }, answer: describe)
  }

  @Test(arguments: ["not an address", "", "localhost", "192.0.2.1"])
  func `reports that the address is unavailable`(address: String) {
    #expect(throws: CodedError<HTTPServerErrorCode>(.addressUnavailable)) {
      try open(HTTPServerSettings(address: address))
    }
  }

  @Test func `reports the same when the port is in use`() async throws {
    try await withServer { server in
      #expect(throws: CodedError<HTTPServerErrorCode>(.addressUnavailable)) {
        try open(HTTPServerSettings(port: server.address.port))
      }
    }
  }

  @Test func `reports a certificate that is missing, is not one, or has another key`() async throws {
    let own = try await TestCertificates.shared()
    let other = try await TestCertificates.other()
    for (chain, key) in [
      ("/nonexistent/chain.pem", own.keyFile), (own.chainFile, "/nonexistent/key.pem"),
      (own.keyFile, own.keyFile), (own.chainFile, other.keyFile),
    ] {
      #expect(throws: CodedError<HTTPServerErrorCode>(.certificateUnusable)) {
        try open(HTTPServerSettings(certificate: .init(chainFile: chain, keyFile: key)))
      }
    }
  }
}
