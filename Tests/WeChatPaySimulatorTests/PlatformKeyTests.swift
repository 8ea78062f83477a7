import Cryptography
import HTTPMessages
import PaymentPrimitives
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `The keys of a simulated WeChat Pay` {
  private func download(_ counter: WeChatPayCounter) async -> Result<
    [X509Certificate], CodedError<CertificateDownloadErrorCode>
  > {
    let request = CertificateDownload.request(by: counter.merchant, to: .primary, at: counter.time.now, nonce: "N")
    let response = await counter.service.api.respond(to: request)
    do throws(CodedError<CertificateDownloadErrorCode>) {
      return .success(
        try CertificateDownload.certificates(
          in: response, keys: PlatformKeyRing(), apiV3Key: counter.merchant.apiV3Key, at: counter.time.now))
    } catch { return .failure(error) }
  }

  private func signers(_ counter: WeChatPayCounter, _ count: Int) async throws -> [PlatformKeyIdentifier: Int] {
    var counts: [PlatformKeyIdentifier: Int] = [:]
    for index in 0..<count {
      let number = "ORDER\(counter.time.now.seconds)X\(index)"
      _ = try await counter.paid(number)
    }
    for told in try await counter.delivered() { counts[try told.get().signedBy, default: 0] += 1 }
    return counts
  }

  @Test func `are answered with 404 if the merchant has only a public key, with 403 if certificates expired`()
    async throws
  {
    let counter = try await WeChatPayCounter()
    try await counter.service.control.setKeyPolicy(mode: .publicKey)
    #expect(await download(counter) == .failure(CodedError(.notIssued)))
    _ = try await counter.paid()
    #expect(try await counter.firstDelivered().get().signedBy == .publicKey(counter.publicKeyIdentifier))
    try await counter.service.control.setKeyPolicy(mode: .certificatesExpired)
    #expect(await download(counter) == .failure(CodedError(.expired)))
  }

  @Test func `are sent as certificates that the APIv3 key decrypts and that signed their own answer`() async throws {
    let counter = try await WeChatPayCounter()
    let certificates = try await download(counter).get()
    #expect(certificates == (await counter.service.platformCertificates()) && certificates.count == 1)
    #expect(certificates[0].subject.description.contains("not WeChat Pay's"))
    #expect(certificates[0].notAfter - certificates[0].notBefore == .days(5 * 365 + 1))
  }

  @Test func `are the same after a restart`() async throws {
    let counter = try await WeChatPayCounter()
    let again = try await counter.restarted()
    #expect(counter.publicKeyIdentifier == again.publicKeyIdentifier)
    #expect(await counter.service.platformPublicKey().key == (await again.service.platformPublicKey().key))
    #expect(await counter.service.platformCertificates() == (await again.service.platformCertificates()))
  }

  @Test func `change from one certificate to the next while both are published`() async throws {
    var counter = try await WeChatPayCounter()
    let next = try await counter.service.control.issueCertificate()
    #expect(try await download(counter).get().count == 2)
    let certificates = await counter.service.platformCertificates()
    try counter.keys.add(certificate: certificates[1])
    var signing = PlatformKeyPolicy.Signing(.certificate(1))
    signing.to = next
    signing.permille = 500
    try await counter.service.control.setKeyPolicy(notifications: signing, answers: signing)
    let counts = try await signers(counter, 40)
    #expect(counts.count == 2 && counts.values.allSatisfy { $0 > 5 })
    signing.permille = 1000
    try await counter.service.control.setKeyPolicy(notifications: signing)
    let last = PlatformKeyIdentifier.certificate(CertificateSerial(of: certificates[1]))
    counter.time.advance(by: .seconds(1))
    #expect(try await signers(counter, 5) == [last: 5])
  }

  @Test func `change to the public key day by day, from one in a thousand to all`() async throws {
    let counter = try await WeChatPayCounter()
    var signing = PlatformKeyPolicy.Signing(.certificate(1))
    signing.to = .publicKey
    signing.since = counter.time.now
    try await counter.service.control.setKeyPolicy(notifications: signing)
    let publicKey = PlatformKeyIdentifier.publicKey(counter.publicKeyIdentifier)
    #expect(try await signers(counter, 20)[publicKey] ?? 0 < 3)
    counter.time.advance(by: .days(5))
    let half = try await signers(counter, 100)[publicKey] ?? 0
    #expect((30...70).contains(half), "\(half) of 100; expected about 50")
    counter.time.advance(by: .days(1))
    #expect(try await signers(counter, 20)[publicKey] == 20)
  }

  @Test func `sign nothing if they do not exist, and include at most sixteen certificates`() async throws {
    let counter = try await WeChatPayCounter()
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.fieldInvalid)) {
      try await counter.service.control.setKeyPolicy(notifications: .init(.certificate(2)))
    }
    for _ in 1..<16 { _ = try await counter.service.control.issueCertificate() }
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.full)) {
      _ = try await counter.service.control.issueCertificate()
    }
  }
}
