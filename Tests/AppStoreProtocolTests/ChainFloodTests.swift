import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import Testing

@Suite struct `A flood of false certificates` {
  private let expecting = TestAppStore.expectations

  /// Leaves under the genuine intermediate, each with other bytes in its signature.
  private struct FalseLeaves {
    let genuine = TestAppStore.authority.signingChain(
      serialNumber: 7001, randomBytes: TestAppStore.seed(7001), notBefore: TestAppStore.now - .days(10),
      notAfter: TestAppStore.now + .days(10))
    private let der: [[UInt8]]
    private let signature: Substring
    private let payload: Substring

    init() {
      der = genuine.certificates.map(\.der)
      let parts = genuine.sign(TestAppStore.transaction).split(separator: ".")
      (payload, signature) = (parts[1], parts[2])
    }

    func token(_ number: Int) -> String {
      var leaf = der[0]
      for shift in 0..<3 { leaf[leaf.count - 1 - shift] ^= UInt8(truncatingIfNeeded: (number + 1) >> (8 * shift)) }
      let header = JSONValue.members([
        ("alg", .string("ES256")),
        ("x5c", .array([leaf, der[1], der[2]].map { .string(Base64.encode($0)) })),
      ])
      return Base64URL.encode(header.bytes) + "." + payload + "." + signature
    }
  }

  private func leaf(_ number: UInt32) -> SigningChain {
    TestAppStore.authority.signingChain(
      serialNumber: number, randomBytes: TestAppStore.seed(UInt64(number)), notBefore: TestAppStore.now - .days(10),
      notAfter: TestAppStore.now + .days(10))
  }

  @Test func `of 1,000 a second from 16 addresses delays a genuine first leaf by less than a second (A15)`() throws {
    let verifier = try TestAppStore.verifier()
    let leaves = FalseLeaves()
    let known = verifier.verifyTransaction(
      leaf(7002).sign(TestAppStore.transaction), expecting: expecting, at: TestAppStore.now, from: "203.0.113.1")
    #expect(known.isValid)
    var (sent, examined, waits) = (0, 0, [Int64]())
    for second in 0..<4 {
      // An unknown first leaf arrives at the start of each second and is retried every 100 ms.
      var waiting: (chain: SigningChain, since: Int64)?
      for step in 0..<10 {
        let now = TestAppStore.now + .milliseconds(Int64(second * 1000 + step * 100))
        for _ in 0..<100 {
          sent += 1
          let verdict = verifier.verifyTransaction(
            leaves.token(sent), expecting: expecting, at: now, from: "198.51.100.\(sent % 16)")
          if verdict.failure?.code == .invalidChain { examined += 1 }
        }
        if step == 0 { waiting = (leaf(UInt32(7100 + second)), 0) }
        guard let (chain, since) = waiting else { continue }
        let verdict = verifier.verifyTransaction(
          chain.sign(TestAppStore.transaction), expecting: expecting, at: now, from: "203.0.113.\(second)")
        waiting = verdict.isValid ? nil : (chain, since + 100)
        if verdict.isValid { waits.append(since) }
      }
      #expect(waiting == nil, "second \(second)")
    }
    #expect(waits.count == 4)
    #expect(waits.allSatisfy { $0 < 1000 }, "\(waits)")
    // Each sender pays for its own: one at the start, one after two seconds, the next only nine seconds later.
    #expect(examined == 32, "\(examined) of \(sent)")
  }

  @Test func `is charged to its sender alone, and to no sender if none is named`() throws {
    var limits = SignedDataLimits()
    limits.unknownChainsPerSecond = 0
    limits.chainsPerSenderBurst = 2
    let verifier = try TestAppStore.verifier(limits)
    let leaves = FalseLeaves()
    func code(_ number: Int, from sender: String?) -> SignedDataErrorCode? {
      verifier.verifyTransaction(
        leaves.token(number), expecting: expecting, at: TestAppStore.now, from: sender
      ).failure?.code
    }
    #expect(code(1, from: "a") == .invalidChain)
    #expect(code(2, from: "a") == .verificationBusy)
    #expect(code(1, from: "a") == .invalidChain, "an earlier refusal costs nothing")
    #expect(code(3, from: "b") == .invalidChain)
    for number in 10..<20 { #expect(code(number, from: nil) == .invalidChain) }
  }

  @Test func `with names that lead to no root uses no common budget`() throws {
    var limits = SignedDataLimits()
    limits.unknownChainsBurst = 1
    limits.unknownChainsPerSecond = 0
    let verifier = try TestAppStore.verifier(limits)
    for number in 0..<40 {
      let stranger = AppleShapedAuthority(
        name: "Attacker \(number)", randomBytes: TestAppStore.seed(UInt64(number)),
        notBefore: TestAppStore.now - .days(1), notAfter: TestAppStore.now + .days(1)
      ).signingChain(
        serialNumber: 1, randomBytes: TestAppStore.seed(1), notBefore: TestAppStore.now - .days(1),
        notAfter: TestAppStore.now + .days(1))
      let verdict = verifier.verifyTransaction(
        stranger.sign(TestAppStore.transaction), expecting: expecting, at: TestAppStore.now, from: "\(number)")
      #expect(verdict.failure?.code == .invalidChain)
    }
    let genuine = verifier.verifyTransaction(
      leaf(7200).sign(TestAppStore.transaction), expecting: expecting, at: TestAppStore.now, from: "x")
    #expect(genuine.isValid)
  }

  @Test func `does not block chains that an earlier run accepted, and being listed proves nothing`() throws {
    var limits = SignedDataLimits()
    limits.unknownChainsBurst = 1
    limits.unknownChainsPerSecond = 0
    let first = try TestAppStore.verifier(limits)
    let token = leaf(7300).sign(TestAppStore.transaction)
    #expect(first.takeNewGoodChains() == nil)
    #expect(first.verifyTransaction(token, expecting: expecting, at: TestAppStore.now).isValid)
    let digests = try #require(first.takeNewGoodChains())
    #expect(digests.count == 1 && first.takeNewGoodChains() == nil)
    first.keepNewGoodChains()
    #expect(first.takeNewGoodChains() == digests)

    let second = try TestAppStore.verifier(limits)
    let leaves = FalseLeaves()
    let tokens = (1...20).map { leaves.token($0) }
    // An attacker who could write to the list would gain only an examination.
    second.recall(goodChains: digests + tokens.map { SHA256.hash(Array($0.prefix { $0 != "." }.utf8)) })
    for (index, token) in tokens.enumerated() {
      let verdict = second.verifyTransaction(token, expecting: expecting, at: TestAppStore.now, from: "\(index)")
      #expect(verdict.failure?.code == .invalidChain)
    }
    let other = second.verifyTransaction(
      leaf(7301).sign(TestAppStore.transaction), expecting: expecting, at: TestAppStore.now)
    #expect(other.isValid)
    #expect(second.verifyTransaction(token, expecting: expecting, at: TestAppStore.now).isValid)
  }
}
