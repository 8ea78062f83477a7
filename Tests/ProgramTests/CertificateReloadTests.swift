import Foundation
import HTTPClient
import HTTPMessages
import PaymentPrimitives
import Synchronization
import SystemPlatform
import TestPlatform
import TestSubprocess
import Testing

/// A server with TLS of its own, as a process, and clients that trust one certificate.
private struct TLSServer {
  let folder: String
  let port: UInt16
  let process: ProgramProcess

  static let names = ["first", "second"]

  /// Makes two certificates for 127.0.0.1 and starts a server with the first.
  static func start(in folder: String) async throws -> TLSServer {
    for name in names {
      try await OtherProgram.run(
        "/usr/bin/env",
        [
          "openssl", "req", "-x509", "-subj", "/CN=\(name)", "-days", "2", "-newkey", "ec", "-pkeyopt",
          "ec_paramgen_curve:P-256", "-nodes", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
          "\(folder)/\(name)-key.pem", "-out", "\(folder)/\(name).pem",
        ])
    }
    let port = try freePort()
    try Files.replace(
      folder + "/counterfoil.toml",
      with: Array(
        """
        profile = "simulated"
        port = \(port)
        [tls]
        certificate = "chain.pem"
        key = "key.pem"
        [[app]]
        id = "game"
        [[app.product]]
        id = "coins.100"
        kind = "consumable"
        app_store_product_ids = ["com.example.game.coins"]
        units = { unit = "coin", amount = 100 }

        """.utf8))
    let server = TLSServer(folder: folder, port: port, process: try start(folder))
    guard try await eventually({ await server.reaches("first") }) else {
      throw ShopError("the server did not start: \(server.process.errors)")
    }
    return server
  }

  private static func start(_ folder: String) throws -> ProgramProcess {
    try copy("first.pem", to: "chain.pem", in: folder)
    try copy("first-key.pem", to: "key.pem", in: folder)
    return try ProgramProcess(["serve"], in: folder)
  }

  static func copy(_ name: String, to other: String, in folder: String) throws {
    try Files.replace(folder + "/" + other, with: try Files.read(folder + "/" + name, bytesMax: 1 << 16))
  }

  func install(_ name: String, as other: String) throws { try Self.copy(name, to: other, in: folder) }

  /// A client of its own, with new connections, that trusts the certificates of these names alone.
  func client(trusting names: [String]) throws -> HTTPExchange {
    let pem = try names.flatMap { try Files.read(folder + "/\($0).pem", bytesMax: 1 << 16) }
    return try HTTPClient().exchange(HTTPClientOptions(route: .anywhere, trust: .only(pem: pem)))
  }

  func isAlive(_ exchange: HTTPExchange) async -> Bool {
    (try? await exchange.send(HTTPRequest("GET", "https://127.0.0.1:\(port)/livez"), .seconds(20)))?.status == 200
  }

  /// Whether a new connection is served with this certificate.
  func reaches(_ name: String) async -> Bool {
    guard let exchange = try? client(trusting: [name]) else { return false }
    return await isAlive(exchange)
  }

  /// Asks for a reload and waits for its word in the log.
  func reload(until event: String) async throws -> Bool {
    let before = count(event)
    process.signal(SIGHUP)
    return try await eventually { count(event) > before }
  }

  func count(_ event: String) -> Int {
    process.errors.split(separator: "\n").count { $0.contains("\"\(event)\"") }
  }
}

/// The calls of all clients.
private final class Tally: Sendable {
  private let state = Mutex((isOver: false, failed: 0, done: 0))

  var isOver: Bool { state.withLock { $0.isOver } }
  var failed: Int { state.withLock { $0.failed } }
  var done: Int { state.withLock { $0.done } }

  func end() { state.withLock { $0.isOver = true } }

  func note(isGood: Bool) {
    state.withLock { state in
      state.done += 1
      if !isGood { state.failed += 1 }
    }
  }
}

@Suite struct `A reload of the certificate` {
  @Test(.timeLimit(.minutes(5)))
  func `leaves the old one in force if the new pair does not match, and says so`() async throws {
    try await withFolder { folder in
      let server = try await TLSServer.start(in: folder)
      // The moment between the two steps of a renewal.
      try server.install("second.pem", as: "chain.pem")
      #expect(try await server.reload(until: "configuration.refused"))
      #expect(server.process.errors.contains("http_certificate_unusable"), "\(server.process.errors)")
      let (old, new) = (await server.reaches("first"), await server.reaches("second"))
      #expect(old && !new)
      try Files.remove(folder + "/chain.pem")
      #expect(try await server.reload(until: "configuration.refused"))
      #expect(await server.reaches("first"))
      server.process.signal(SIGTERM)
      #expect(try await server.process.end() == 0)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `serves new connections with the new one, and loses no call of the old and new connections`() async throws {
    try await withFolder { folder in
      let server = try await TLSServer.start(in: folder)
      let tally = Tally()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<4 {
          group.addTask {
            // Half of the clients keep their connection, half make one for each call.
            let kept = try server.client(trusting: TLSServer.names)
            while !tally.isOver {
              let exchange = number.isMultiple(of: 2) ? kept : try server.client(trusting: TLSServer.names)
              tally.note(isGood: await server.isAlive(exchange))
            }
          }
        }
        for turn in 0..<4 {
          let name = TLSServer.names[(turn + 1) % 2]
          try server.install("\(name).pem", as: "chain.pem")
          #expect(try await server.reload(until: "configuration.refused"), "half a renewal")
          try server.install("\(name)-key.pem", as: "key.pem")
          #expect(try await server.reload(until: "certificate.read"))
          #expect(await server.reaches(name))
          #expect(await !server.reaches(TLSServer.names[turn % 2]))
        }
        tally.end()
        try await group.waitForAll()
      }
      #expect(tally.failed == 0)
      #expect(tally.done > 20)
      server.process.signal(SIGTERM)
      #expect(try await server.process.end() == 0)
    }
  }
}
