import Foundation
import HTTPClient
import HTTPMessages
import HTTPServer
import PaymentPrimitives
import Testing

private let patient = TimeSpan.seconds(120)

@Suite struct `A16: an address that is not public` {
  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.254", "127.0.0.1",
    "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
    "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "192.175.48.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255",
    "240.0.0.1", "255.255.255.255",
    "::", "::1", "::2", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1",
    "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:2::1", "2001:10::1", "2001:20::1",
    "2001:1ff::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "2620:4f:8000::1", "3ffe::1",
    "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "febf::1",
    "fec0::1", "ff02::1",
  ])
  func `is recognized`(text: String) throws {
    #expect(!(try #require(IPAddress(text))).isPublic)
  }

  @Test(arguments: [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "17.253.144.10", "100.63.255.255", "100.128.0.0",
    "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
    "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
    "203.0.112.255", "203.0.114.0", "223.255.255.255", "2001:200::1", "2001:4860:4860::8888",
    "2001:db7:ffff::1", "2001:db9::1", "2003::1", "240e::1", "2606:4700::1111", "2620:1ec::1", "3ffd::1",
    "3fff:1000::1",
  ])
  func `is not confused with its public neighbours`(text: String) throws {
    #expect((try #require(IPAddress(text))).isPublic)
  }

  @Test func `is written and read only in the usual notation`() {
    for text in ["", "1.2.3", "0177.0.0.1", "1.2.3.4.5", "0x7f.0.0.1", "2130706433", "::1%lo", "[::1]", "a"] {
      #expect(IPAddress(text) == nil, "\(text)")
    }
    #expect(IPAddress(bytes: [127, 0, 0, 1])?.description == "127.0.0.1")
    #expect(IPAddress("2001:DB8:0::1")?.description == "2001:db8::1")
    #expect(IPAddress(bytes: [1, 2, 3]) == nil)
  }

  /// Every way in which a URL can name this machine. A server listens there and must get no connection.
  @Test(arguments: [
    "127.0.0.1", "localhost", "LOCALHOST", "127.1", "0177.0.0.1", "0x7f000001", "2130706433",
    "0", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::]",
    "[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "pinned.test", "sixth.test", "both.test", "１２７.０.０.１",
  ])
  func `is refused when its socket is opened, whatever its name`(host: String) async throws {
    try await withServer(address: "::") { server in
      let client = HTTPClient(hosts: [
        "pinned.test": ["127.0.0.1"], "sixth.test": ["::1"], "both.test": ["127.0.0.1", "::1", "10.0.0.1"],
      ])
      let exchange = try client.exchange(HTTPClientOptions(route: .publicOnly))
      let request = HTTPRequest("POST", "http://\(host):\(server.address.port)/", body: [1])
      #expect(await result(of: exchange, request, patient).kind == "refusedTarget")
      #expect(server.statistics.connectionsAccepted == 0)
    }
  }

  @Test func `is refused even if an unguarded exchange has just opened a connection to it`() async throws {
    try await withServer { server in
      let client = HTTPClient(hosts: ["pinned.test": ["127.0.0.1"]])
      let request = HTTPRequest("GET", "http://pinned.test:\(server.address.port)/")
      let open = try client.exchange(HTTPClientOptions(route: .anywhere))
      let guarded = try client.exchange(HTTPClientOptions(route: .publicOnly))
      for _ in 0..<3 {
        #expect(await result(of: open, request, patient).kind == "answered")
        #expect(await result(of: guarded, request, patient).kind == "refusedTarget")
      }
      #expect(server.statistics.requestsReceived == 3)
    }
  }
}

@Suite struct `A16: a target that must not be called` {
  @Test(arguments: [
    "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1:70/", "dict://127.0.0.1/", "ws://127.0.0.1/",
    "HTTPX://127.0.0.1/", "127.0.0.1/", "/path", "", "http://", "http:///path", "http:/127.0.0.1/", "http:127.0.0.1",
    "http://user@127.0.0.1/",
    "http://user:password@127.0.0.1/", "http://127.0.0.1:99999/", "http://127.0.0.1:port/",
    "http://127.0.0.1/a b", "http://127.0.0.1/a\r\nX: y", "http://127.0.0.1\r\n/", "http://[::1/",
  ])
  func `is refused before anything is sent`(target: String) async throws {
    let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
    #expect(await result(of: exchange, HTTPRequest("GET", target), patient).kind == "refusedTarget")
  }

  @Test(arguments: [
    HTTPRequest("GET /evil HTTP/1.1\r\nX:", "/"), HTTPRequest("get", "/"), HTTPRequest("", "/"),
    HTTPRequest("GET", "/", fields: ["X": "a\r\nY: b"]), HTTPRequest("GET", "/", fields: ["X": "a\u{0}b"]),
    HTTPRequest("GET", "/", fields: ["X: y\r\nZ": "a"]), HTTPRequest("GET", "/", fields: ["": "a"]),
    HTTPRequest("GET", "/", fields: ["X;": "a"]),
  ])
  func `is refused when its request could be read as two`(request: HTTPRequest) async throws {
    try await withServer { server in
      let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
      var request = request
      request.target = "http://127.0.0.1:\(server.address.port)/"
      #expect(await result(of: exchange, request, patient).kind == "refusedTarget")
      #expect(server.statistics.connectionsAccepted == 0)
    }
  }
}

@Suite struct `A client and proxies` {
  private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  @Test func `use the proxy that is configured`() async throws {
    let proxy = try ScriptedServer([.answer(Self.answer)])
    defer { proxy.stop() }
    let exchange = try HTTPClient().exchange(
      HTTPClientOptions(route: .through(proxy: "http://127.0.0.1:\(proxy.port)")))
    let request = HTTPRequest("GET", "http://far.test/a")
    #expect(await result(of: exchange, request, patient).kind == "answered")
    #expect(proxy.received.first?.hasPrefix("GET http://far.test/a HTTP/1.1\r\n") == true)
  }

  @Test func `report unreachable when the proxy opens no tunnel, because nothing was sent`() async throws {
    let proxy = try ScriptedServer([.answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")])
    defer { proxy.stop() }
    let exchange = try HTTPClient().exchange(
      HTTPClientOptions(route: .through(proxy: "http://127.0.0.1:\(proxy.port)")))
    let request = HTTPRequest("POST", "https://far.test/a", body: [1])
    #expect(await result(of: exchange, request, patient).kind == "unreachable")
    #expect(proxy.received.first?.hasPrefix("CONNECT far.test:443 ") == true)
  }

  @Test func `ignore the proxies of the environment`() async {
    await #expect(processExitsWith: .success) {
      for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"] {
        setenv(name, "http://127.0.0.1:1", 1)
      }
      let server = try ScriptedServer([.answer(Self.answer)])
      let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
      let request = HTTPRequest("GET", "http://127.0.0.1:\(server.port)/")
      #expect(await result(of: exchange, request, patient).kind == "answered")
    }
  }
}
