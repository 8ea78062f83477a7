import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import Synchronization
import Testing

/// A verifier that asks whether certificates are revoked, and a responder that says what the test wants.
@Suite struct `Signed data whose certificate may be revoked` {
  private static let now = TestAppStore.now

  /// An authority whose certificates name a responder.
  private struct Authority {
    let rootKey = ECDSAPrivateKey(curve: .p384, randomBytes: TestAppStore.seed(71))
    let issuerKey = ECDSAPrivateKey(curve: .p384, randomBytes: TestAppStore.seed(72))
    let leafKey = ECDSAPrivateKey(curve: .p256, randomBytes: TestAppStore.seed(73))
    let root, issuer, leaf: X509Certificate

    init(address: String? = RevocationTestNames.address, leafEnds: Timestamp = TestAppStore.now + .days(365)) {
      let named: [X509Extension] = address.map { [.statusAddress($0)] } ?? []
      var builder = X509CertificateBuilder(
        subject: X509NameParts(commonName: "Root with statuses"), serialNumber: [1],
        notBefore: TestAppStore.now - .days(1000), notAfter: TestAppStore.now + .days(1000))
      builder.basicConstraints = .authority()
      builder.keyUsage = [.keyCertSign, .cRLSign]
      root = builder.selfSigned(by: rootKey)
      builder.subject = X509NameParts(commonName: "Intermediate with statuses")
      builder.serialNumber = [2]
      builder.extensions = [.marker(AppleShapedAuthority.intermediateMarker)] + named
      issuer = builder.issued(to: issuerKey.publicKey, by: root, key: rootKey)
      builder.subject = X509NameParts(commonName: "Leaf with statuses")
      builder.serialNumber = [3]
      builder.notAfter = leafEnds
      builder.basicConstraints = .endEntity
      builder.keyUsage = .digitalSignature
      builder.extensions = [.marker(AppleShapedAuthority.leafMarker)] + named
      leaf = builder.issued(to: leafKey.publicKey, by: issuer, key: issuerKey)
    }

    var token: String {
      SigningChain(leafKey: leafKey, certificates: [leaf, issuer, root]).sign(TestAppStore.transaction)
    }

    func verifier(_ check: RevocationCheck) throws -> SignedDataVerifier {
      var configuration = SignedDataConfiguration(profile: .development, anchors: [root])
      configuration.revocationCheck = check
      return try SignedDataVerifier(configuration)
    }

    /// What the responder of either authority answers.
    func answer(
      _ question: CertificateStatusQuestion, _ word: CertificateStatusAnswer.Word, at now: Timestamp,
      for span: TimeSpan = .hours(12)
    ) throws -> CertificateStatus {
      let key = question.issuer == root ? rootKey : issuerKey
      let asked = CertificateStatus.question(about: question.certificate, issuedBy: question.issuer)
      let item = try #require(CertificateStatusQuery(asked)?.items.first)
      let bytes = CertificateStatusAnswer(
        [CertificateStatusAnswer.Entry(id: item.id, word: word)], thisUpdate: now, nextUpdate: now + span
      ).signed(by: key, certificates: [question.issuer])
      return try CertificateStatus(
        answer: bytes, about: question.certificate, issuedBy: question.issuer, root: question.root, at: now)
    }
  }

  private enum RevocationTestNames {
    static let address = "http://status.example.com/ocsp"
  }

  private static func verify(
    _ verifier: SignedDataVerifier, _ token: String, at now: Timestamp = now
  ) -> SignedDataVerdict<JWSTransactionDecodedPayload> {
    verifier.verifyTransaction(token, expecting: TestAppStore.expectations, at: now)
  }

  @Test(arguments: [RevocationCheck.soft, .hard], [0, 1])
  func `is refused once its issuer has revoked the leaf or the intermediate`(check: RevocationCheck, index: Int) throws
  {
    let authority = Authority()
    let verifier = try authority.verifier(check)
    _ = Self.verify(verifier, authority.token)
    let questions = verifier.statuses.questions(at: Self.now)
    #expect(questions.map(\.certificate).contains(authority.leaf) && questions.count == 2)
    let revoked = try #require(questions.first { $0.certificate == [authority.leaf, authority.issuer][index] })
    for question in questions {
      let word = question == revoked ? CertificateStatusAnswer.Word.revoked(at: Self.now - .days(1)) : .good
      verifier.statuses.note(try authority.answer(question, word, at: Self.now), of: question, at: Self.now)
    }
    let verdict = Self.verify(verifier, authority.token)
    #expect(verdict.failure?.code == .certificateRevoked && verdict.failedCheck == .revocation)
    #expect(verdict.waiting == nil && verdict.verified == nil)
    #expect(verdict.failure?.details.contains("keyCompromise") == true)
    // It is never asked about again, and a restart does not forget it.
    #expect(!verifier.statuses.questions(at: Self.now + .days(300)).contains(revoked))
    let kept = try #require(verifier.statuses.takeNewRevocations())
    #expect(kept.count == 1 && verifier.statuses.takeNewRevocations() == nil)
    let restarted = try authority.verifier(check)
    restarted.statuses.recall(revocations: kept)
    #expect(Self.verify(restarted, authority.token).failure?.code == .certificateRevoked)
  }

  @Test func `waits in hard, and is accepted and marked in soft, while its issuer says nothing`() throws {
    let authority = Authority()
    for check in [RevocationCheck.soft, .hard] {
      let verifier = try authority.verifier(check)
      for moment in [Self.now, Self.now + .hours(1)] {
        let verdict = Self.verify(verifier, authority.token, at: moment)
        #expect(verdict.statusIsUnknown)
        #expect((verdict.verified != nil) == (check == .soft) && (verdict.waiting != nil) == (check == .hard))
        #expect(verdict.failure?.code == (check == .hard ? .certificateStatusUnknown : nil))
        for question in verifier.statuses.questions(at: moment) {
          verifier.statuses.note(try authority.answer(question, .unknown, at: moment), of: question, at: moment)
        }
      }
    }
    #expect(SignedDataErrorCode.certificateStatusUnknown.retry == .later)
  }

  @Test func `is not asked about by default, nor once its certificate has expired`() throws {
    let authority = Authority()
    let verifier = try authority.verifier(.off)
    #expect(Self.verify(verifier, authority.token).isValid)
    #expect(verifier.statuses.questions(at: Self.now).isEmpty)
    let old = Authority(leafEnds: Self.now - .minutes(1))
    let hard = try old.verifier(.hard)
    let verdict = Self.verify(hard, old.token)
    // Only the intermediate, which is still valid.
    #expect(hard.statuses.questions(at: Self.now).map(\.certificate) == [old.issuer])
    #expect(verdict.failure?.code == .certificateStatusUnknown)
  }

  @Test func `waits for ever in hard if its certificate names no responder`() throws {
    let authority = Authority(address: nil)
    let verdict = Self.verify(try authority.verifier(.hard), authority.token)
    #expect(verdict.failure?.code == .certificateStatusUnknown)
    #expect(verdict.failure?.details.hasSuffix("names no responder.") == true)
    let soft = Self.verify(try authority.verifier(.soft), authority.token)
    #expect(soft.isValid && !soft.statusIsUnknown)
  }

  @Test func `is accepted while a good answer counts, and asked about again before it ends`() throws {
    let authority = Authority()
    let verifier = try authority.verifier(.hard)
    _ = Self.verify(verifier, authority.token)
    for question in verifier.statuses.questions(at: Self.now) {
      verifier.statuses.note(try authority.answer(question, .good, at: Self.now), of: question, at: Self.now)
    }
    let verdict = Self.verify(verifier, authority.token)
    #expect(verdict.isValid && !verdict.statusIsUnknown)
    #expect(verdict.checks.contains { $0.check == .revocation && $0.outcome == .passed })
    #expect(verifier.statuses.questions(at: Self.now + .hours(5)).isEmpty)
    let due = verifier.statuses.questions(at: Self.now + .hours(6))
    #expect(due.count == 2)
    for question in due { verifier.statuses.noteSilence(about: question, at: Self.now + .hours(6)) }
    #expect(verifier.statuses.questions(at: Self.now + .hours(6) + .seconds(59)).isEmpty)
    #expect(verifier.statuses.questions(at: Self.now + .hours(6) + .seconds(60)).count == 2)
    // Silence takes nothing away from what was said before, until that ends.
    #expect(Self.verify(verifier, authority.token, at: Self.now + .hours(12)).isValid)
    let later = Self.verify(verifier, authority.token, at: Self.now + .hours(12) + .seconds(1))
    #expect(later.failure?.code == .certificateStatusUnknown)
  }

  @Test func `counts for a week at most, whatever its responder says`() throws {
    let authority = Authority()
    let verifier = try authority.verifier(.hard)
    _ = Self.verify(verifier, authority.token)
    for question in verifier.statuses.questions(at: Self.now) {
      let status = try authority.answer(question, .good, at: Self.now, for: .days(90))
      verifier.statuses.note(status, of: question, at: Self.now)
    }
    #expect(Self.verify(verifier, authority.token, at: Self.now + .days(7)).isValid)
    #expect(!Self.verify(verifier, authority.token, at: Self.now + .days(7) + .seconds(1)).isValid)
  }

  @Test func `is asked about within its own time, and only 200 with a usable body is an answer`() async throws {
    let authority = Authority()
    let verifier = try authority.verifier(.soft)
    _ = Self.verify(verifier, authority.token)
    let question = try #require(verifier.statuses.questions(at: Self.now).first)
    let seen = Mutex<[(HTTPRequest, TimeSpan)]>([])
    let answers: [(HTTPResponse?, String)] = [
      (nil, "unreachable"), (HTTPResponse(status: 503), "refused"),
      (HTTPResponse(status: 200, body: Array("<html>".utf8)), "refused"),
    ]
    for (response, word) in answers {
      let exchange = HTTPExchange { request, limit throws(HTTPExchangeError) in
        seen.withLock { $0.append((request, limit)) }
        guard let response else { throw .unreachable("down") }
        return response
      }
      #expect(await CertificateStatusExchange.ask(question, by: exchange, at: Self.now).word == word)
    }
    for (request, limit) in seen.withLock({ $0 }) {
      #expect(request.method == "POST" && request.target == RevocationTestNames.address && limit == .seconds(3))
      #expect(request.fields["Content-Type"] == "application/ocsp-request" && !request.body.isEmpty)
    }
  }
}
