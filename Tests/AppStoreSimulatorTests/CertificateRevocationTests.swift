import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

@Suite struct `A simulated App Store whose certificates can be revoked` {
  private static let origin = "http://127.0.0.1:8081"

  private static func chain(_ token: String) throws -> [X509Certificate] {
    let header = try #require(token.split(separator: ".").first)
    let json = try JSONReader.read(try #require(Base64URL.decode(String(header))))
    return try #require(json["x5c"]?.array).map {
      try X509Certificate(der: try #require(Base64.decode($0.string ?? "")))
    }
  }

  /// What the responder says of a certificate of a chain: the leaf is 0.
  private static func status(_ api: APIShop, _ chain: [X509Certificate], _ index: Int) async throws -> CertificateStatus
  {
    let (certificate, issuer) = (chain[index], chain[index + 1])
    let request = HTTPRequest(
      "POST", origin + "/ocsp", fields: ["Content-Type": "application/ocsp-request"],
      body: CertificateStatus.question(about: certificate, issuedBy: issuer))
    #expect(SimulatedServerAPI.answers(request))
    let response = await api.store.serverAPI.respond(to: request)
    #expect(response.status == 200 && response.fields["Content-Type"] == "application/ocsp-response")
    return try CertificateStatus(
      answer: response.body, about: certificate, issuedBy: issuer, root: chain[2], at: api.shop.time.now)
  }

  private static func token(_ api: APIShop) async throws -> String {
    try await api.shop.buy(SimulatedShop.coins).signedTransaction
  }

  @Test func `names no responder until its address is known (AS-KEY-8)`() async throws {
    let api = try await APIShop()
    let before = try Self.chain(try await Self.token(api))
    #expect(before.allSatisfy { $0.statusAddresses.isEmpty })
    await api.store.publishCertificateStatus(at: Self.origin)
    let after = try Self.chain(try await Self.token(api))
    #expect(after.prefix(2).allSatisfy { $0.statusAddresses == [Self.origin + "/ocsp"] })
    // The root stays, so who trusts it goes on.
    #expect(after[2] == before[2] && after[2].statusAddresses.isEmpty)
  }

  @Test func `answers for what it has certified, for twelve hours, and for nothing else (AS-KEY-8)`() async throws {
    let api = try await APIShop()
    await api.store.publishCertificateStatus(at: Self.origin)
    let chain = try Self.chain(try await Self.token(api))
    for index in 0...1 {
      let status = try await Self.status(api, chain, index)
      #expect(status.answer == .good)
      #expect(status.nextUpdate.map { $0 - status.thisUpdate } == .hours(12))
    }
    // It knows what its own root has certified, not what another one of the same name has.
    let other = Self.stranger.intermediate
    let asked = CertificateStatus.question(about: other, issuedBy: chain[2])
    let unknown = await api.store.serverAPI.respond(to: HTTPRequest("POST", Self.origin + "/ocsp", body: asked))
    let read = try CertificateStatus(
      answer: unknown.body, about: other, issuedBy: chain[2], root: chain[2], at: api.shop.time.now)
    #expect(read.answer == .unknown)
    for (body, number) in [(Array("{}".utf8), UInt8(1)), (Self.foreignQuestion, 6)] {
      let refused = await api.store.serverAPI.respond(to: HTTPRequest("POST", Self.origin + "/ocsp", body: body))
      #expect(refused.body == [0x30, 0x03, 0x0A, 0x01, number])
    }
    #expect(await api.store.serverAPI.respond(to: HTTPRequest("GET", Self.origin + "/ocsp")).status == 405)
  }

  /// Another simulator, whose certificates have the same names.
  private static let stranger = SimulatedSigningAuthority(
    seed: DigestFunction.sha384.hash("another simulator".utf8), createdAt: SimulatedShop.noon)
  private static let foreignQuestion = CertificateStatus.question(
    about: stranger.intermediate, issuedBy: stranger.root)

  @Test(arguments: SimulatedCertificateRevocation.Role.allCases, [false, true])
  func `revokes what signs, and lets another one sign unless it is told not to (AS-KEY-7)`(
    role: SimulatedCertificateRevocation.Role, keepsSigning: Bool
  ) async throws {
    let api = try await APIShop()
    await api.store.publishCertificateStatus(at: Self.origin)
    let first = try Self.chain(try await Self.token(api))
    let revocation = try await api.store.certificates.revoke(role, keepsSigning: keepsSigning)
    let index = role == .leaf ? 0 : 1
    #expect(revocation.serialNumber == first[index].serialNumber.hexadecimal)
    let status = try await Self.status(api, first, index)
    let second = Timestamp(seconds: revocation.realTime.seconds)
    #expect(status.answer == .revoked(at: second, reason: "keyCompromise"))
    #expect(try await Self.status(api, first, 1 - index).answer == .good)
    let next = try Self.chain(try await Self.token(api))
    #expect((next[index] == first[index]) == keepsSigning)
    if !keepsSigning {
      for index in 0...1 { #expect(try await Self.status(api, next, index).answer == .good) }
    }
    let verdict = try api.shop.verifier().verifyTransaction(
      try await Self.token(api), expecting: SimulatedShop.expectations, at: api.shop.time.now)
    #expect(verdict.isValid, "offline nothing is known of it")
  }

  @Test func `keeps the certificate of what it had signed before, also after a restart (AS-KEY-7, AS-NOTE-2)`()
    async throws
  {
    let api = try await APIShop()
    let shop = api.shop
    _ = try await shop.buy(SimulatedShop.coins)
    let notification = try #require(await shop.store.notifications().first)
    let signed = try await shop.store.signedPayload(of: notification.facts.uuid)
    shop.time.advance(by: .minutes(1))
    _ = try await shop.store.certificates.revoke(.leaf)
    #expect(try await shop.store.signedPayload(of: notification.facts.uuid) == signed)
    let later = try await shop.restarted()
    #expect(await later.store.revocations() == shop.store.revocations())
    #expect(try await later.store.signedPayload(of: notification.facts.uuid) == signed)
    let next = try await later.buy(SimulatedShop.coins).signedTransaction
    #expect(try Self.chain(signed)[0] != Self.chain(next)[0])
  }

  @Test func `is told so over HTTP, and of at most sixteen (AS-KEY-7)`() async throws {
    let shop = try await ControlledShop()
    #expect(try await shop.send("GET", "/simulator/certificates").json["revoked"]?.array == [])
    let wrong = JSONValue.members([("certificate", "root")])
    #expect(try await shop.send("POST", "/simulator/certificates/revoke", body: wrong).status == 400)
    let body = JSONValue.members([("certificate", "leaf"), ("keepsSigning", .bool(true))])
    for _ in 0..<16 {
      #expect(try await shop.send("POST", "/simulator/certificates/revoke", body: body).status == 201)
    }
    let more = try await shop.send("POST", "/simulator/certificates/revoke", body: body)
    #expect(more.json["code"] == "simulator_full")
    let list = try await shop.send("GET", "/simulator/certificates").json["revoked"]?.array
    #expect(list?.count == 16 && list?.first?["certificate"] == "leaf" && list?.first?["keepsSigning"] == .bool(true))
  }
}
