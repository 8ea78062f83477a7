import HTTPMessages
import HTTPServer
import StrictJSON
import TestPlatform
import Testing

private let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
private let toClient = [203, 0, 113, 7, 192, 0, 2, 1, 0x12, 0x67, 0x01, 0xBB] as [UInt8]

private func version2(
  _ command: UInt8 = 0x21, _ family: UInt8 = 0x11, rest: [UInt8] = toClient, length: Int? = nil
) -> [UInt8] {
  let count = length ?? rest.count
  return signature + [command, family, UInt8(count >> 8), UInt8(count & 255)] + rest
}

@Suite struct `A PROXY protocol header` {
  @Test(arguments: [
    "GET / HTTP/1.1\r\n", "PROXY\r\n", "PROXY TCP4 1.2.3.4\r\n", "PROXY TCP4 1.2.3.4 5.6.7.8 1\r\n",
    "PROXY TCP4 1.2.3.4 5.6.7.8 1 2 3\r\n", "PROXY TCP4 1.2.3.4  5.6.7.8 1 2\r\n",
    "PROXY TCP4 01.2.3.4 5.6.7.8 1 2\r\n",
    "PROXY TCP4 ::1 ::1 1 2\r\n", "PROXY TCP5 1.2.3.4 5.6.7.8 1 2\r\n", "PROXY TCP4 1.2.3.4 5.6.7.8 65536 2\r\n",
    "PROXY TCP4 1.2.3.4 5.6.7.8 1 02\r\n", "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\n", "proxy TCP4 1.2.3.4 5.6.7.8 1 2\r\n",
    "PROXY UNKNOWN " + String(repeating: "x", count: 100) + "\r\n",
  ])
  func `of version 1 is not any of these`(text: String) {
    #expect(ProxyProtocolHeader(Array(text.utf8)) == .malformed)
  }

  @Test func `of version 2 is refused with another version, command or family, or with too few bytes`() {
    for bytes in [
      version2(0x11), version2(0x22), version2(0x21, 0x12), version2(0x21, 0x21),
      version2(0x21, 0x11, rest: [1, 2, 3]),
      version2(length: 5000),
    ] { #expect(ProxyProtocolHeader(bytes) == .malformed) }
    var broken = version2()
    broken[4] = 1
    #expect(ProxyProtocolHeader(broken) == .malformed)
  }

  @Test func `names the client, in whatever pieces it arrives`() {
    let client = PeerAddress(host: "203.0.113.7", port: 4711)
    let client6 = PeerAddress(host: "2001:db8::1", port: 4711)
    let address6: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]
    for (bytes, named) in [
      (Array("PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n".utf8), client),
      (Array("PROXY TCP6 2001:db8::1 ::1 4711 443\r\n".utf8), client6), (version2(), client),
      (version2(0x21, 0x11, rest: toClient + [0x04, 0x00, 0x01, 0x00]), client),
      (version2(0x21, 0x21, rest: address6 + address6 + [0x12, 0x67, 0, 80]), client6),
    ] {
      let whole = ProxyProtocolHeader.complete(byteCount: bytes.count, client: named)
      #expect(ProxyProtocolHeader(bytes) == whole)
      #expect(ProxyProtocolHeader(bytes + Array("GET".utf8)) == whole)
      for count in 0..<bytes.count { #expect(ProxyProtocolHeader(Array(bytes.prefix(count))) == .unfinished) }
    }
  }

  @Test func `names no client if the proxy itself is the client`() {
    for bytes in [
      Array("PROXY UNKNOWN\r\n".utf8), Array("PROXY UNKNOWN 1 2 3 4\r\n".utf8), version2(0x20),
      version2(0x20, 0x00, rest: []), version2(0x21, 0x00, rest: []),
      version2(0x21, 0x31, rest: Array(repeating: 1, count: 216)),
    ] { #expect(ProxyProtocolHeader(bytes) == .complete(byteCount: bytes.count, client: nil)) }
  }
}

extension HTTPServerSettings {
  fileprivate static func proxied(_ blocks: [String], share: Int = 100) -> HTTPServerSettings {
    var settings = HTTPServerSettings(limits: .patient)
    settings.trustedProxies = TrustedProxies(blocks.compactMap { AddressBlock($0) })
    settings.readsProxyProtocol = true
    settings.limits.connectionSharePercent = share
    return settings
  }
}

@Suite struct `A server behind proxies that speak the PROXY protocol` {
  private static let request = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

  private func peers(_ settings: HTTPServerSettings, _ sent: [[UInt8]]) async throws -> [String] {
    try await withServer(settings) { server in
      var found: [String] = []
      for bytes in sent {
        let answer = await answers(of: server, to: bytes).first
        found.append(answer?.code ?? answer?.json?["peer"]?.string ?? "nothing")
      }
      return found
    }
  }

  @Test func `takes the client from a trusted proxy, and requires the header from it`() async throws {
    let request = Array(Self.request.utf8)
    let found = try await peers(
      .proxied(["127.0.0.0/8"]),
      [
        Array("PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n".utf8) + request, version2() + request,
        Array("PROXY UNKNOWN\r\n".utf8) + request, version2(0x20) + request, request,
      ])
    #expect(found == ["203.0.113.7", "203.0.113.7", "127.0.0.1", "127.0.0.1", "nothing"])
  }

  @Test func `takes it from no other sender`() async throws {
    let request = Array(Self.request.utf8)
    let found = try await peers(
      .proxied(["10.0.0.1"]),
      [Array("PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n".utf8) + request, version2() + request, request])
    #expect(found == ["http_request_malformed", "http_request_malformed", "127.0.0.1"])
  }

  @Test func `accepts a header that arrives byte by byte`() async throws {
    try await withServer(.proxied(["127.0.0.1"])) { server in
      let connection = try await RawConnection(port: server.address.port)
      for byte in version2() { await connection.send([byte]) }
      await connection.send(Self.request)
      #expect(await connection.receiveAnswers(1).first?.json?["peer"]?.string == "203.0.113.7")
    }
  }

  @Test func `counts the client's connections, not the proxy's`() async throws {
    var settings = HTTPServerSettings.proxied(["127.0.0.1"], share: 25)
    settings.limits.connectionsMax = 16
    try await withServer(settings) { server in
      var held: [RawConnection] = []
      for _ in 0..<6 {
        let connection = try await RawConnection(port: server.address.port)
        await connection.send(version2() + Array("GET / HT".utf8))
        held.append(connection)
      }
      #expect(try await eventually { server.statistics.connectionsTurnedAway == 2 })
      let other = Array("PROXY TCP4 203.0.113.8 192.0.2.1 4711 443\r\n".utf8) + Array(Self.request.utf8)
      #expect(await answers(of: server, to: other).map(\.status) == [200])
      let same = version2() + Array(Self.request.utf8)
      #expect(await answers(of: server, to: same).map(\.code) == ["http_too_many_connections"])
      held = []
      #expect(try await eventually { server.statistics.connectionsOpen == 0 })
      #expect(await answers(of: server, to: same).map(\.status) == [200])
    }
  }
}

@Suite struct `The connections of one address` {
  private static let request = Array("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".utf8)

  private func limits() -> HTTPServerLimits {
    var limits = HTTPServerLimits.patient
    limits.connectionsMax = 400
    return limits
  }

  @Test func `are limited to its share: 410 half-sent heads do not affect other clients`() async throws {
    try await withServer(limits()) { server in
      var held: [RawConnection] = []
      for _ in 0..<410 {
        guard let connection = try? await RawConnection(port: server.address.port, from: "127.0.0.66") else { continue }
        await connection.send("GET / HTTP/1.1\r\nHo")
        held.append(connection)
      }
      #expect(try await eventually { server.statistics.connectionsTurnedAway >= 310 })
      #expect(server.statistics.connectionsOpen <= 100)
      for other in ["127.0.0.1", "127.0.0.2", "127.0.0.67"] {
        let connection = try await RawConnection(port: server.address.port, from: other)
        await connection.send(Self.request)
        #expect(await connection.receiveAnswers(1).map(\.status) == [200], "\(other)")
      }
      let same = try await RawConnection(port: server.address.port, from: "127.0.0.66")
      let found = RawAnswer.all(in: await same.receiveUntilClosed() ?? [])
      #expect(found.map(\.status) == [429])
      #expect(found.map(\.code) == ["http_too_many_connections"])
      #expect(found.first?.field("Retry-After") == "1")
      held = []
      #expect(try await eventually { server.statistics.connectionsOpen == 0 })
      let again = try await RawConnection(port: server.address.port, from: "127.0.0.66")
      await again.send(Self.request)
      #expect(await again.receiveAnswers(1).map(\.status) == [200])
    }
  }

  @Test func `are not limited if it belongs to a trusted proxy`() async throws {
    var settings = HTTPServerSettings(limits: limits())
    settings.limits.connectionsMax = 40
    settings.trustedProxies = TrustedProxies([AddressBlock("127.0.0.66/32")].compactMap(\.self))
    try await withServer(settings) { server in
      var held: [RawConnection] = []
      for _ in 0..<40 {
        let connection = try await RawConnection(port: server.address.port, from: "127.0.0.66")
        await connection.send("GET / HTTP/1.1\r\nHo")
        held.append(connection)
      }
      #expect(try await eventually { server.statistics.connectionsOpen == 40 })
      #expect(server.statistics.connectionsTurnedAway == 0)
    }
  }
}
