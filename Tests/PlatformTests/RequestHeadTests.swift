import HTTPMessages
import HTTPServer
import PaymentPrimitives
import Testing

/// A head that is accepted.
private let sound = "POST /v1/orders?a=b HTTP/1.1\r\nHost: example.com\r\nContent-Length: 3\r\n\r\n"

private func read(_ text: String) throws(CodedError<HTTPServerErrorCode>) -> RequestHead {
  try RequestHead(Array(text.utf8))
}

/// A head with one mistake. It is shown with escaped control characters.
struct Spoiled: Sendable, CustomTestStringConvertible {
  let what: String
  let text: String
  let code: HTTPServerErrorCode

  init(_ what: String, _ text: String, code: HTTPServerErrorCode) {
    self.what = what
    self.text = text
    self.code = code
  }

  init(_ text: String, _ code: HTTPServerErrorCode) { self.init(text.debugDescription, text, code: code) }

  var testDescription: String { "\(what): \(code.rawValue)" }
}

@Suite struct `A request head` {
  @Test(arguments: [
    // Lines and characters.
    Spoiled("POST / HTTP/1.1\nHost: a\n\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\rYX: b\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nX: a\u{B}b\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nX: a\u{7F}b\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\n X: leading\r\nHost: a\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost : a\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost\t: a\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\n: no name\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nX(y): b\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nX: b\r\n", .malformed),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\n\r\nmore", .malformed),
    Spoiled("", .malformed), Spoiled("\r\n", .malformed), Spoiled("\r\n\r\n", .malformed),
    // The request line.
    Spoiled("POST  / HTTP/1.1\r\nHost: a\r\n\r\n", .malformed),
    Spoiled("POST /  HTTP/1.1\r\nHost: a\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.1 \r\nHost: a\r\n\r\n", .malformed),
    Spoiled("POST\t/ HTTP/1.1\r\nHost: a\r\n\r\n", .malformed),
    Spoiled("POST /\r\nHost: a\r\n\r\n", .malformed),
    Spoiled("P@ST / HTTP/1.1\r\nHost: a\r\n\r\n", .malformed),
    Spoiled("POST / http/1.1\r\nHost: a\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.10\r\nHost: a\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.x\r\nHost: a\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/11\r\nHost: a\r\n\r\n", .malformed),
    Spoiled("POST / HTTP/1.2\r\nHost: a\r\n\r\n", .versionUnsupported),
    Spoiled("POST / HTTP/0.9\r\nHost: a\r\n\r\n", .versionUnsupported),
    Spoiled("PRI * HTTP/2.0\r\n\r\n", .versionUnsupported),
    Spoiled("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", .methodUnknown),
    Spoiled("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", .methodUnknown),
    Spoiled("get / HTTP/1.1\r\nHost: a\r\n\r\n", .methodUnknown),
    // The target.
    Spoiled("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .targetNotAccepted),
    Spoiled("GET a/b HTTP/1.1\r\nHost: a\r\n\r\n", .targetNotAccepted),
    Spoiled("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", .targetNotAccepted),
    Spoiled("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", .targetNotAccepted),
    Spoiled("GET /ä HTTP/1.1\r\nHost: a\r\n\r\n", .targetNotAccepted),
    Spoiled("GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n", .targetNotAccepted),
    Spoiled("GET /a/%2e%2e/b HTTP/1.1\r\nHost: a\r\n\r\n", .targetNotAccepted),
    Spoiled("GET /a%00 HTTP/1.1\r\nHost: a\r\n\r\n", .targetNotAccepted),
    Spoiled("GET /a%zz HTTP/1.1\r\nHost: a\r\n\r\n", .targetNotAccepted),
    // The host.
    Spoiled("GET / HTTP/1.1\r\n\r\n", .hostNotOne),
    Spoiled("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", .hostNotOne),
    Spoiled("GET / HTTP/1.1\r\nHost:\r\n\r\n", .hostNotOne),
    Spoiled("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", .hostNotOne),
    Spoiled("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", .hostNotOne),
    Spoiled("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .hostNotOne),
    Spoiled("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", .hostNotOne),
    // Where the body ends.
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5 5\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5.0\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ５\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", .framingAmbiguous),
    Spoiled(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
      .framingAmbiguous),
    Spoiled("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n", .framingAmbiguous),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", .transferCodingUnknown),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .transferCodingUnknown),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", .transferCodingUnknown),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked;q=1\r\n\r\n", .transferCodingUnknown),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n", .transferCodingUnknown),
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", .transferCodingUnknown),
    // Other requests of a client.
    Spoiled("POST / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n", .expectationUnknown),
  ])
  func `is refused with the code of the rule that it breaks`(spoiled: Spoiled) {
    #expect(throws: CodedError<HTTPServerErrorCode>(spoiled.code)) { try read(spoiled.text) }
  }

  @Test func `is refused if a value is not UTF-8, because a text cannot keep it`() {
    let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xE4, 0x0D, 0x0A, 0x0D, 0x0A]
    #expect(throws: CodedError<HTTPServerErrorCode>(.malformed)) { try RequestHead(bytes) }
  }

  @Test func `is refused with more fields than allowed`() throws {
    func head(_ count: Int) -> String {
      "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: count - 1) + "\r\n"
    }
    #expect(try read(head(128)).fields.all.count == 128)
    #expect(throws: CodedError<HTTPServerErrorCode>(.headTooLarge)) { try read(head(129)) }
  }

  @Test func `is refused with a target longer than any of ours`() throws {
    func head(_ bytes: Int) -> String {
      "GET /" + String(repeating: "a", count: bytes - 1) + " HTTP/1.1\r\nHost: a\r\n\r\n"
    }
    #expect(try read(head(4096)).target.utf8.count == 4096)
    #expect(throws: CodedError<HTTPServerErrorCode>(.targetTooLong)) { try read(head(4097)) }
  }

  @Test func `keeps method, target, fields and length as they arrived`() throws {
    let head = try read(sound)
    #expect(head.method == "POST")
    #expect(head.target == "/v1/orders?a=b")
    #expect(head.path == ["v1", "orders"])
    #expect(head.fields == ["Host": "example.com", "Content-Length": "3"])
    #expect(head.body == .length(3))
    #expect(!head.expectsContinue)
  }

  @Test func `removes spaces and tabs around a value, and keeps those inside it`() throws {
    let head = try read("GET / HTTP/1.1\r\nHost: \t a \t\r\nX:  b\tc d \r\nEmpty:\r\n\r\n")
    #expect(head.fields["Host"] == "a")
    #expect(head.fields["X"] == "b\tc d")
    #expect(head.fields["Empty"] == "")
  }

  @Test(arguments: [
    "a", "a.example:8080", "127.0.0.1:80", "[::1]:443", "xn--fiqs8s", "under_score.example",
  ])
  func `accepts every valid form of host`(host: String) throws {
    #expect(try read("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").fields["host"] == host)
  }

  @Test func `recognizes a chunked body in upper or lower case, and an empty body as none`() throws {
    let start = "POST / HTTP/1.1\r\nHost: a\r\n"
    #expect(try read(start + "Transfer-Encoding: Chunked\r\n\r\n").body == .chunked)
    #expect(try read(start + "Content-Length: 0\r\n\r\n").body == .none)
    #expect(try read(start + "\r\n").body == .none)
  }

  @Test func `of HTTP 1.0 needs no host and ignores Expect`() throws {
    let head = try read("POST / HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(head.body == .length(2))
    #expect(!head.expectsContinue)
  }

  @Test func `reports whether its client waits for 100 Continue`() throws {
    let start = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
    #expect(try read(start + "Expect: 100-Continue\r\n\r\n").expectsContinue)
  }
}
