import Foundation
import HTTPClient
import HTTPMessages
import HTTPServer
import PaymentPrimitives
import Testing

private let patient = TimeSpan.seconds(120)
private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite struct `A client that is told to stop` {
  @Test func `answers a cancelled task at once, while the other side is silent`() async throws {
    let server = try ScriptedServer([.answerAndStay("")])
    defer { server.stop() }
    let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
    let request = HTTPRequest("POST", "http://127.0.0.1:\(server.port)/", body: [1])
    let waiting = Task { await result(of: exchange, request, patient).kind }
    #expect(await eventually { server.received.count == 1 })
    waiting.cancel()
    #expect(await waiting.value == "cancelled")
  }

  @Test func `lets go of the connection of a cancelled exchange`() async throws {
    let gate = Gate()
    let answer: HTTPServer.Handler = { request, peer in
      await gate.wait()
      return await describe(request, peer)
    }
    try await withServer(answer: answer) { server in
      let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
      let request = HTTPRequest("GET", "http://127.0.0.1:\(server.address.port)/")
      let waiting = Task { await result(of: exchange, request, patient).kind }
      #expect(await eventually { server.statistics.requestsReceived == 1 })
      waiting.cancel()
      #expect(await waiting.value == "cancelled")
      // Answered now, it would be kept for the next exchange; but nobody reads it any more.
      gate.open()
      #expect(await eventually { server.statistics.connectionsOpen == 0 })
    }
  }

  @Test func `begins nothing in a task that is cancelled already`() async throws {
    let server = try ScriptedServer([.answer(ok)])
    defer { server.stop() }
    let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
    let request = HTTPRequest("POST", "http://127.0.0.1:\(server.port)/")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await result(of: exchange, request, patient).kind
    }
    #expect(await task.value == "cancelled")
    #expect(server.received.isEmpty)
  }

  @Test func `hangs in none of 3,000 exchanges, each third of which is cancelled early`() async throws {
    try await withServer { server in
      let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
      let request = HTTPRequest("GET", "http://127.0.0.1:\(server.address.port)/")
      let kinds = await withTaskGroup(of: [String].self) { group in
        for _ in 0..<30 {
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
      #expect(kinds.count == 3000)
      #expect(Set(kinds).isSubset(of: ["answered", "cancelled"]))
      #expect(kinds.count { $0 == "answered" } >= 2000)
      #expect(kinds.contains("cancelled"))
    }
  }
}

@Suite struct `A client without means` {
  @Test func `cannot be made where no thread can be started`() async {
    // Linux tells how much memory a process has mapped; sanitizers map far more than they use.
    guard let mapped = mappedBytes(), mapped < 8 << 30 else { return }
    await #expect(processExitsWith: .success) {
      let mapped = try #require(mappedBytes())
      // Room for what is small, and none for a thread's stack.
      #expect(limitMappedBytes(to: mapped + 4 << 20))
      #expect(throws: CodedError<HTTPClientErrorCode>(.clientUnavailable)) {
        try HTTPClient().exchange(HTTPClientOptions())
      }
    }
  }

  @Test func `says unreachable when only the last descriptors are left, which are for others`() async {
    await #expect(processExitsWith: .success) {
      let server = try ScriptedServer([.answer(ok)])
      let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
      let request = HTTPRequest("POST", "http://127.0.0.1:\(server.port)/", body: [1])
      // The system's timers open descriptors of their own at their first use, and trap where they get none.
      try await settle()
      let most = 2 * lowestFreeDescriptor() + 100
      #expect(limitOpenFiles(to: most))
      let taken = takeDescriptors(upTo: most - most / 4)
      #expect(await result(of: exchange, request, patient).kind == "unreachable")
      #expect(server.received.isEmpty)
      for descriptor in taken { close(descriptor) }
      #expect(await result(of: exchange, request, patient).kind == "answered")
    }
  }
}
