import HTTPClient
import HTTPMessages
import HTTPServer
import PaymentPrimitives
import StrictJSON
import TestPlatform
import Testing

private let patient = TimeSpan.seconds(120)

@Suite struct `TLS between server and client` {
  private let certificates: TestCertificates
  private let certificate: HTTPServerSettings.Certificate
  private let other: TestCertificates

  init() async throws {
    certificates = try await TestCertificates.shared()
    other = try await TestCertificates.other()
    certificate = .init(chainFile: certificates.chainFile, keyFile: certificates.keyFile)
  }

  private func exchange(
    _ trust: HTTPClientOptions.Trust, bytesMax: Int = 1 << 20, hosts: [String: [String]] = [:]
  ) throws -> HTTPExchange {
    try HTTPClient(hosts: hosts).exchange(
      HTTPClientOptions(route: .anywhere, trust: trust, answerBytesMax: bytesMax))
  }

  @Test func `is refused without the private authority, before anything is sent`() async throws {
    try await withServer(certificate: certificate) { server in
      let exchange = try exchange(.system)
      let request = HTTPRequest("POST", "https://localhost:\(server.address.port)/", body: [1])
      #expect(await result(of: exchange, request, patient).kind == "unreachable")
      #expect(server.statistics.requestsReceived == 0)
    }
  }

  @Test func `is refused under another private authority, alone or beside the system's`() async throws {
    try await withServer(certificate: certificate) { server in
      let request = HTTPRequest("POST", "https://localhost:\(server.address.port)/", body: [1])
      for trust in [HTTPClientOptions.Trust.only(pem: other.authority), .systemAnd(pem: other.authority)] {
        let exchange = try exchange(trust)
        #expect(await result(of: exchange, request, patient).kind == "unreachable")
      }
      #expect(server.statistics.requestsReceived == 0)
    }
  }

  @Test func `is refused for a name that the certificate does not have (X15)`() async throws {
    try await withServer(certificate: certificate) { server in
      let trust = HTTPClientOptions.Trust.only(pem: certificates.authority)
      let exchange = try exchange(
        trust, hosts: ["wrong.test": ["127.0.0.1"], "pinned.test": ["127.0.0.1"]])
      let wrong = HTTPRequest("GET", "https://wrong.test:\(server.address.port)/")
      #expect(await result(of: exchange, wrong, patient).kind == "unreachable")
      let right = HTTPRequest("GET", "https://pinned.test:\(server.address.port)/")
      #expect(await result(of: exchange, right, patient).kind == "answered")
    }
  }

  @Test func `is not weakened by an earlier exchange that trusted the server`() async throws {
    try await withServer(certificate: certificate) { server in
      let client = HTTPClient()
      let request = HTTPRequest("GET", "https://localhost:\(server.address.port)/")
      let trusting = try client.exchange(
        HTTPClientOptions(route: .anywhere, trust: .only(pem: certificates.authority)))
      let strict = try client.exchange(HTTPClientOptions(route: .anywhere, trust: .system))
      #expect(await result(of: trusting, request, patient).kind == "answered")
      #expect(await result(of: strict, request, patient).kind == "unreachable")
    }
  }

  @Test func `keeps its certificate if a new one does not match its key, or is missing`() async throws {
    try await withServer(certificate: certificate) { server in
      let trust = HTTPClientOptions.Trust.only(pem: certificates.authority)
      let request = HTTPRequest("GET", "https://localhost:\(server.address.port)/")
      for bad in [
        HTTPServerSettings.Certificate(chainFile: other.chainFile, keyFile: certificates.keyFile),
        HTTPServerSettings.Certificate(chainFile: other.chainFile + ".none", keyFile: other.keyFile),
        HTTPServerSettings.Certificate(chainFile: other.keyFile, keyFile: other.keyFile),
      ] {
        let error = #expect(throws: CodedError<HTTPServerErrorCode>.self) { try server.replaceCertificate(by: bad) }
        #expect(error?.code == .certificateUnusable)
        #expect(error?.details.contains(".pem") == true, "\(error?.details ?? "")")
        let fresh = try exchange(trust)
        #expect(await result(of: fresh, request, patient).kind == "answered")
      }
    }
    try await withServer { server in
      #expect(throws: CodedError<HTTPServerErrorCode>.self) { try server.replaceCertificate(by: certificate) }
    }
  }

  @Test func `has the new certificate on new connections, while an open one goes on`() async throws {
    try await withServer(certificate: certificate) { server in
      let request = HTTPRequest("GET", "https://localhost:\(server.address.port)/")
      // Trusts the first authority alone: it can only go on over the connection that it has.
      let open = try exchange(.only(pem: certificates.authority))
      #expect(await result(of: open, request, patient).kind == "answered")
      try server.replaceCertificate(by: .init(chainFile: other.chainFile, keyFile: other.keyFile))
      #expect(await result(of: open, request, patient).kind == "answered")
      #expect(server.statistics.connectionsAccepted == 1)
      let fresh = try exchange(.only(pem: other.authority))
      #expect(await result(of: fresh, request, patient).kind == "answered")
      let former = try exchange(.only(pem: certificates.authority))
      #expect(await result(of: former, request, patient).kind == "unreachable")
    }
  }

  @Test func `is refused at once if there is no certificate to trust (X15)`() {
    for pem in ["", "no certificate", "-----BEGIN PRIVATE KEY-----"] {
      #expect(throws: CodedError<HTTPClientErrorCode>(.authorityUnreadable)) {
        try HTTPClient().exchange(HTTPClientOptions(trust: .only(pem: Array(pem.utf8))))
      }
      #expect(throws: CodedError<HTTPClientErrorCode>(.authorityUnreadable)) {
        try HTTPClient().exchange(HTTPClientOptions(trust: .systemAnd(pem: Array(pem.utf8))))
      }
    }
  }

  @Test func `carries requests under the private authority, alone or beside the system's`() async throws {
    try await withServer(
      certificate: certificate,
      answer: { _, peer in
        HTTPResponse(status: peer.isEncrypted ? 200 : 500)
      }
    ) { server in
      let request = HTTPRequest("POST", "https://localhost:\(server.address.port)/", body: [1])
      for trust in [
        HTTPClientOptions.Trust.only(pem: certificates.authority), .systemAnd(pem: certificates.authority),
      ] {
        let exchange = try exchange(trust)
        for _ in 0..<5 { #expect(try await exchange.send(request, patient).status == 200) }
      }
      #expect(server.statistics.connectionsAccepted == 2)
    }
  }

  @Test func `carries bodies of 10 MB both ways, and an error while the client is still sending`() async throws {
    var limits = HTTPServerLimits()
    limits.bodyBytesMaxByPath = [.init("/small", bodyBytesMax: 1000)]
    try await withServer(
      limits, certificate: certificate,
      answer: { request, _ in
        HTTPResponse(status: 200, body: request.body)
      }
    ) { server in
      let exchange = try exchange(.only(pem: certificates.authority), bytesMax: 10 << 20)
      let body = (0..<10 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let address = "https://127.0.0.1:\(server.address.port)"
      #expect(try await exchange.send(HTTPRequest("POST", address + "/a", body: body), patient).body == body)
      let error = try await exchange.send(HTTPRequest("POST", address + "/small", body: body), patient)
      #expect(error.status == 413)
      #expect(try JSONReader.read(error.body)["code"]?.string == "http_body_too_large")
    }
  }

  @Test func `survives cancelled exchanges`() async throws {
    try await withServer(certificate: certificate) { server in
      let exchange = try exchange(.only(pem: certificates.authority))
      let request = HTTPRequest("GET", "https://localhost:\(server.address.port)/")
      for turn in 0..<60 {
        let task = Task { await result(of: exchange, request, patient).kind }
        for _ in 0..<turn { await Task.yield() }
        task.cancel()
        #expect(["answered", "cancelled"].contains(await task.value))
      }
      #expect(await result(of: exchange, request, patient).kind == "answered")
      #expect(try await eventually { server.statistics.connectionsOpen <= 1 })
    }
  }

  @Test func `does not answer a client that uses no TLS, stalls or sends garbage`() async throws {
    var limits = HTTPServerLimits()
    limits.handshakeDeadline = .milliseconds(200)
    try await withServer(limits, certificate: certificate) { server in
      for text in ["", "\u{16}\u{3}\u{1}"] {
        let connection = try await RawConnection(port: server.address.port)
        await connection.send(text)
        #expect(await connection.receiveUntilClosed() == [])
      }
      let plain = try await RawConnection(port: server.address.port)
      await plain.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
      // The client gets a TLS alert or a reset, never an answer.
      let said = await plain.receiveUntilClosed() ?? []
      #expect(!String(decoding: said, as: UTF8.self).contains("HTTP"))
      #expect(try await eventually { server.statistics.connectionsOpen == 0 })
      #expect(server.statistics.requestsReceived == 0)
    }
  }

  @Test func `ends with the server's last answer when the server is stopped`() async throws {
    let gate = Gate()
    try await withServer(
      certificate: certificate,
      answer: { _, _ in
        await gate.wait()
        return HTTPResponse(status: 200)
      }
    ) { server in
      let exchange = try exchange(.only(pem: certificates.authority))
      let request = HTTPRequest("GET", "https://localhost:\(server.address.port)/")
      let waiting = Task { await result(of: exchange, request, patient).kind }
      #expect(try await eventually { server.statistics.requestsReceived == 1 })
      server.stop()
      gate.open()
      #expect(await waiting.value == "answered")
      #expect(try await eventually { server.statistics.connectionsOpen == 0 })
    }
  }
}
