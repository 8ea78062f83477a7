import Foundation
import HTTPClient
import HTTPMessages
import HTTPServer
import PaymentPrimitives
import TestPlatform
import Testing

private let patient = TimeSpan.seconds(120)
private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite struct `A client that is cancelled` {
  @Test func `returns at once from a cancelled task, while the other side is silent`() async throws {
    let server = try ScriptedServer([.answerAndStay("")])
    defer { server.stop() }
    let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
    let request = HTTPRequest("POST", "http://127.0.0.1:\(server.port)/", body: [1])
    let waiting = Task { await result(of: exchange, request, patient).kind }
    #expect(try await eventually { server.received.count == 1 })
    waiting.cancel()
    #expect(await waiting.value == "cancelled")
  }

  @Test func `releases the connection of a cancelled exchange`() async throws {
    let gate = Gate()
    let answer: HTTPServer.Handler = { request, peer in
      await gate.wait()
      return await describe(request, peer)
    }
    try await withServer(answer: answer) { server in
      let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
      let request = HTTPRequest("GET", "http://127.0.0.1:\(server.address.port)/")
      let waiting = Task { await result(of: exchange, request, patient).kind }
      #expect(try await eventually { server.statistics.requestsReceived == 1 })
      waiting.cancel()
      #expect(await waiting.value == "cancelled")
      // An answer now must not keep the connection for the next exchange: no client reads it any more.
      gate.open()
      #expect(try await eventually { server.statistics.connectionsOpen == 0 })
    }
  }

  @Test func `starts nothing in a task that is already cancelled`() async throws {
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

  @Test func `hangs in none of 3,000 exchanges, although every third is cancelled early`() async throws {
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

@Suite struct `A client without resources` {
  @Test func `cannot be created if no thread can be started`() async {
    // Linux reports how much memory a process has mapped. Sanitizers map far more than they use.
    guard let mapped = mappedBytes(), mapped < 8 << 30 else { return }
    await #expect(processExitsWith: .success) {
      let mapped = try #require(mappedBytes())
      // Enough memory for small allocations, but not for a thread's stack.
      #expect(limitMappedBytes(to: mapped + 4 << 20))
      #expect(throws: CodedError<HTTPClientErrorCode>(.clientUnavailable)) {
        try HTTPClient().exchange(HTTPClientOptions())
      }
    }
  }

  @Test func `reports unreachable when only the last descriptors are left, which are reserved`() async {
    await #expect(processExitsWith: .success) {
      let server = try ScriptedServer([.answer(ok)])
      let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
      let request = HTTPRequest("POST", "http://127.0.0.1:\(server.port)/", body: [1])
      // The system's timers open their own descriptors at their first use, and trap if they get none.
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
