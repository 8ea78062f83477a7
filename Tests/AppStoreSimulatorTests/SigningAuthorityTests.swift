import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import PaymentPrimitives
import TestDoubles
import Testing

@Suite struct `A simulated signing authority` {
  private static let seed = DigestFunction.sha384.hash("made for tests".utf8)
  private static let authority = SimulatedSigningAuthority(seed: seed, createdAt: SimulatedShop.noon)

  @Test func `is trusted only by a verifier that is configured for it (A5)`() async throws {
    let shop = try await SimulatedShop()
    let signed = try await shop.buy(SimulatedShop.coins).signedTransaction
    let other = SimulatedSigningAuthority(
      seed: DigestFunction.sha384.hash("another made for tests".utf8), createdAt: SimulatedShop.noon)
    let strangers: [SignedDataConfiguration] = [
      .production, SignedDataConfiguration(profile: .development, anchors: [other.root]),
    ]
    for configuration in strangers {
      let verdict = try SignedDataVerifier(configuration)
        .verifyTransaction(signed, expecting: SignedDataExpectations(), at: SimulatedShop.noon)
      #expect(verdict.failure?.code == .invalidChain)
      #expect(!verdict.isValid)
    }
  }

  @Test func `states in each certificate that it is not Apple's (AS-KEY-1)`() async throws {
    let shop = try await SimulatedShop()
    let verdict = try shop.verifier().verifyTransaction(
      try await shop.buy(SimulatedShop.coins).signedTransaction, expecting: SimulatedShop.expectations,
      at: SimulatedShop.noon)
    let chain = try #require(verdict.verified?.chain)
    let names = [chain.leaf.subject, chain.intermediate.subject, shop.store.authority.root.subject.description]
    for name in names { #expect(name.contains("Counterfoil Simulator") && name.contains("not Apple's"), "\(name)") }
  }

  @Test func `has the shape of Apple's (AS-KEY-1, AS-KEY-4)`() throws {
    let (root, intermediate) = (Self.authority.root, Self.authority.intermediate)
    #expect(root.publicKey?.curve == .p384 && intermediate.publicKey?.curve == .p384)
    #expect(root.issuer == root.subject && root.isSigned(by: root))
    #expect(intermediate.issuer == root.subject && intermediate.isSigned(by: root))
    #expect(intermediate.basicConstraints == .authority(pathLength: 0))
    #expect(root.basicConstraints == .authority())
    #expect(intermediate.keyUsage == [.keyCertSign, .cRLSign])
    #expect(intermediate.hasExtension("1.2.840.113635.100.6.2.1"))
    #expect(!intermediate.hasExtension("1.2.840.113635.100.6.11.1"))
    #expect(root.notAfter - root.notBefore == .days(25 * 365))
    #expect(intermediate.notAfter - intermediate.notBefore == .days(15 * 365))
    #expect(root.notBefore < SimulatedShop.noon && SimulatedShop.noon < intermediate.notAfter)
  }

  @Test func `depends on its seed alone (AS-KEY-2)`() {
    let again = SimulatedSigningAuthority(seed: Self.seed, createdAt: SimulatedShop.noon)
    #expect(again.root.der == Self.authority.root.der)
    #expect(again.intermediate.der == Self.authority.intermediate.der)
    let other = SimulatedSigningAuthority(seed: Self.seed.reversed(), createdAt: SimulatedShop.noon)
    #expect(other.root.publicKey?.point != Self.authority.root.publicKey?.point)
    #expect(other.root.serialNumber != Self.authority.root.serialNumber)
  }

  @Test func `serves its root as PEM`() throws {
    let read = try X509Certificate.certificates(inPEM: Self.authority.rootPEM.utf8)
    #expect(read == [Self.authority.root])
  }

  @Test func `keeps its keys after a restart (AS-KEY-2)`() async throws {
    let shop = try await SimulatedShop()
    let bought = try await shop.buy(SimulatedShop.coins)
    let later = try await shop.restarted()
    #expect(later.store.authority.root == shop.store.authority.root)
    // Without a device there is no nonce: the same time gives the same text.
    let id = bought.transaction.id
    #expect(
      try await later.store.signedTransaction(id).signedTransaction
        == shop.store.signedTransaction(id).signedTransaction)
  }

  @Test func `uses a new leaf every two years, and another intermediate from the second on (AS-KEY-3, AS-KEY-6)`()
    async throws
  {
    let shop = try await SimulatedShop()
    let id = try await shop.buy(SimulatedShop.coins).transaction.id
    var (leaves, intermediates): (Set<String>, Set<String>) = ([], [])
    for _ in 0..<5 {
      let verdict = try shop.verifier().verifyTransaction(
        try await shop.store.signedTransaction(id).signedTransaction, expecting: SimulatedShop.expectations,
        at: shop.time.now)
      let chain = try #require(verdict.verified?.chain, "\(verdict.failure?.description ?? "")")
      let leaf = chain.leaf
      leaves.insert(leaf.serialNumber)
      intermediates.insert(chain.intermediate.serialNumber)
      #expect(leaf.notAfter - leaf.notBefore == .days(765))
      shop.time.advance(by: .days(365))
    }
    #expect(leaves.count == 3 && intermediates.count == 2)
  }

  @Test func `signs with expired certificates once they have expired (AS-KEY-4)`() async throws {
    let shop = try await SimulatedShop()
    let id = try await shop.buy(SimulatedShop.coins).transaction.id
    shop.time.advance(by: .days(10 * 365 + 30))
    let verdict = try shop.verifier().verifyTransaction(
      try await shop.store.signedTransaction(id).signedTransaction, expecting: SimulatedShop.expectations,
      at: shop.time.now)
    #expect(verdict.failure?.code == .expired)
  }

  @Test(arguments: SimulatedEnvironment.allCases)
  func `signs the account's environment, but a verifier still finds it simulated (AS-KEY-5)`(
    word: SimulatedEnvironment
  ) async throws {
    let shop = try await SimulatedShop(word)
    let bought = try await shop.buy(SimulatedShop.coins)
    let verdict = try shop.verifier().verifyTransaction(
      bought.signedTransaction, expecting: SimulatedShop.expectations, at: shop.time.now)
    #expect(verdict.verified?.payload.environment?.rawValue == word.rawValue)
    #expect(verdict.verified?.environment == .simulated)
  }
}
