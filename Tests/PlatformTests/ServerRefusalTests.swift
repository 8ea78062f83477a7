import CounterfoilAPI
import HTTPServer
import PaymentPrimitives
import StrictJSON
import TestPlatform
import Testing

private let host = "Host: example.com\r\n"

@Suite struct `A server over a socket` {
  /// The forms in which a request can be smuggled past a proxy, from the first measurements and from other sources.
  /// Each hides a second request that must never be answered.
  static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: example.com\r\n\r\n"

  @Test(arguments: [
    Spoiled("no Host", "GET / HTTP/1.1\r\n\r\n", code: .hostNotOne),
    Spoiled("two Hosts", "GET / HTTP/1.1\r\n\(host)\(host)\r\n", code: .hostNotOne),
    Spoiled("a space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", code: .malformed),
    Spoiled("NUL in a value", "GET / HTTP/1.1\r\n\(host)X: a\u{0}b\r\n\r\n", code: .malformed),
    Spoiled("bare line feeds", "GET / HTTP/1.1\nHost: a\n\n", code: .malformed),
    Spoiled("one bare line feed", "GET / HTTP/1.1\r\n\(host)X: a\nY: b\r\n\r\n", code: .malformed),
    Spoiled("a bare carriage return", "GET / HTTP/1.1\r\n\(host)X: a\rY: b\r\n\r\n", code: .malformed),
    Spoiled("a folded line", "GET / HTTP/1.1\r\n\(host)X: a\r\n b\r\n\r\n", code: .malformed),
    Spoiled(
      "Content-Length and Transfer-Encoding",
      "POST / HTTP/1.1\r\n\(host)Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      code: .framingAmbiguous),
    Spoiled(
      "Transfer-Encoding and Content-Length",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
      code: .framingAmbiguous),
    Spoiled(
      "two different Content-Lengths", "POST / HTTP/1.1\r\n\(host)Content-Length: 2\r\nContent-Length: 1\r\n\r\nab",
      code: .framingAmbiguous),
    Spoiled(
      "the same Content-Length twice", "POST / HTTP/1.1\r\n\(host)Content-Length: 2\r\nContent-Length: 2\r\n\r\nab",
      code: .framingAmbiguous),
    Spoiled("Content-Length +5", "POST / HTTP/1.1\r\n\(host)Content-Length: +5\r\n\r\nabcde", code: .framingAmbiguous),
    Spoiled(
      "a chunk size of 0x3", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n",
      code: .chunkMalformed),
    Spoiled(
      "a chunk size of +3", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n+3\r\nabc\r\n0\r\n\r\n",
      code: .chunkMalformed),
    Spoiled(
      "a chunk size of 17 digits",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n10000000000000003\r\nabc\r\n0\r\n\r\n",
      code: .chunkMalformed),
    Spoiled(
      "a chunk that ends with a bare line feed",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n", code: .chunkMalformed),
    Spoiled(
      "a chunk longer than it says",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", code: .chunkMalformed),
    Spoiled(
      "a bare line feed in a chunk extension",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n3;a\nb\r\nabc\r\n0\r\n\r\n", code: .chunkMalformed),
    Spoiled(
      "a length among the trailers",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 40\r\n\r\n",
      code: .chunkMalformed),
    Spoiled(
      "Transfer-Encoding: xchunked", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: xchunked\r\n\r\n",
      code: .transferCodingUnknown),
    Spoiled(
      "Transfer-Encoding: gzip, chunked", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      code: .transferCodingUnknown),
    Spoiled(
      "Transfer-Encoding behind a vertical tab",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n", code: .malformed),
    Spoiled(
      "Transfer-Encoding in HTTP/1.0", "POST / HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      code: .framingAmbiguous),
    Spoiled("an absolute target", "GET http://example.com/ HTTP/1.1\r\n\(host)\r\n", code: .targetNotAccepted),
    Spoiled("HTTP/2 without asking", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", code: .versionUnsupported),
    Spoiled("a method that no route has", "TRACE / HTTP/1.1\r\n\(host)\r\n", code: .methodUnknown),
    Spoiled("an unknown expectation", "POST / HTTP/1.1\r\n\(host)Expect: magic\r\n\r\n", code: .expectationUnknown),
    Spoiled("two empty lines first", "\r\n\r\nGET / HTTP/1.1\r\n\(host)\r\n", code: .malformed),
    Spoiled("a Connection field that is no list", "GET / HTTP/1.1\r\n\(host)Connection: a b\r\n\r\n", code: .malformed),
    Spoiled("a TLS greeting without TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", code: .malformed),
  ])
  func `refuses with its own error, closes, and reads no further`(
    spoiled: Spoiled
  ) async throws {
    let code = spoiled.code
    try await withServer { server in
      let found = await answers(of: server, to: spoiled.text + Self.smuggled)
      #expect(found.map(\.code) == [code.rawValue])
      #expect(found.first?.status == code.status)
      #expect(found.first?.field("Connection") == "close")
      #expect(found.first?.field("Content-Type") == "application/problem+json")
      let problem = try ProblemBody(json: try #require(found.first?.json))
      #expect(problem.requestId == "r1")
      #expect(problem.title == code.meaning.english)
      #expect(problem.remedy == code.remedy.english)
      #expect(server.statistics.requestsReceived == 0)
    }
  }

  @Test(arguments: ["GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nX: \u{0}", "GET / HTTP/1.1\rX", "\u{7F}"])
  func `refuses a byte that no head may contain, without waiting for the rest`(text: String) async throws {
    try await withServer { server in
      #expect(await answers(of: server, to: text).map(\.code) == ["http_request_malformed"])
    }
  }

  @Test func `refuses a head of 40 kB with 431, however it is divided`() async throws {
    try await withServer { server in
      let long = "GET / HTTP/1.1\r\n\(host)X: " + String(repeating: "x", count: 40_000) + "\r\n\r\n"
      #expect(await answers(of: server, to: long).map(\.code) == ["http_head_too_large"])
      let many = "GET / HTTP/1.1\r\n\(host)" + String(repeating: "X: y\r\n", count: 6000) + "\r\n"
      #expect(await answers(of: server, to: many).map(\.code) == ["http_head_too_large"])
    }
  }

  @Test func `accepts a head of exactly the limit, and refuses one more byte`() async throws {
    @Sendable func head(_ bytes: Int) -> String {
      let start = "GET / HTTP/1.1\r\n\(host)Connection: close\r\nX: "
      return start + String(repeating: "x", count: bytes - start.utf8.count - 4) + "\r\n\r\n"
    }
    try await withServer { server in
      #expect(await answers(of: server, to: head(16_384)).map(\.status) == [200])
      #expect(await answers(of: server, to: head(16_385)).map(\.code) == ["http_head_too_large"])
    }
  }

  @Test func `refuses a request line without end with 414`() async throws {
    try await withServer { server in
      let endless = "GET /" + String(repeating: "a", count: 40_000)
      #expect(await answers(of: server, to: endless).map(\.code) == ["http_target_too_long"])
      let line = "GET /" + String(repeating: "a", count: 5000) + " HTTP/1.1\r\n\(host)\r\n"
      #expect(await answers(of: server, to: line).map(\.code) == ["http_target_too_long"])
    }
  }

  @Test func `sends an error to a client that stops in the middle of a request`() async throws {
    let parts = [
      "GET / HTTP/1.1\r\nHos", "POST / HTTP/1.1\r\n\(host)Content-Length: 9\r\n\r\nabc",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n5\r\nab",
    ]
    try await withServer { server in
      for part in parts {
        let connection = try await RawConnection(port: server.address.port)
        await connection.send(part)
        connection.endSending()
        let found = RawAnswer.all(in: await connection.receiveUntilClosed() ?? [])
        #expect(found.map(\.code) == ["http_request_incomplete"], "\(part)")
      }
      #expect(server.statistics.requestsReceived == 0)
    }
  }
}
