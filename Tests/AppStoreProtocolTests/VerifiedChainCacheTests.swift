import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import TestFixtures
import Testing

@Suite struct `The cache of certificate chains` {
  private let expecting = TestAppStore.expectations

  private func limits(_ change: (inout SignedDataLimits) -> Void) -> SignedDataLimits {
    var limits = SignedDataLimits()
    change(&limits)
    return limits
  }

  /// A leaf of the trusted authority that no other test has.
  private func leaf(_ number: UInt32, notAfter: Timestamp = TestAppStore.now + .days(10)) -> SigningChain {
    TestAppStore.authority.signingChain(
      serialNumber: number, randomBytes: TestAppStore.seed(UInt64(number)), notBefore: TestAppStore.now - .days(10),
      notAfter: notAfter)
  }

  /// An invented authority with the trusted one's name: its names lead to the root, its signatures do not.
  private func stranger(_ number: UInt64, named name: String = "Made for tests") -> SigningChain {
    AppleShapedAuthority(
      name: name, randomBytes: TestAppStore.seed(number), notBefore: TestAppStore.now - .days(1),
      notAfter: TestAppStore.now + .days(1)
    ).signingChain(
      serialNumber: 1, randomBytes: TestAppStore.seed(number), notBefore: TestAppStore.now - .days(1),
      notAfter: TestAppStore.now + .days(1))
  }

  private func code(
    _ verifier: SignedDataVerifier, _ chain: SigningChain, at now: Timestamp = TestAppStore.now
  ) -> SignedDataErrorCode? {
    verifier.verifyTransaction(chain.sign(TestAppStore.transaction), expecting: expecting, at: now).failure?.code
  }

  @Test func `calls unknown chains beyond the budget busy, never invalid`() throws {
    let verifier = try TestAppStore.verifier(
      limits {
        $0.unknownChainsBurst = 3; $0.unknownChainsPerSecond = 2
      })
    for number in 0..<3 { #expect(code(verifier, stranger(UInt64(900 + number))) == .invalidChain) }
    #expect(code(verifier, stranger(903)) == .verificationBusy)
    #expect(SignedDataErrorCode.verificationBusy.retry == .later)
    let verdict = verifier.verifyTransaction(
      stranger(903).sign(TestAppStore.transaction), expecting: expecting, at: TestAppStore.now)
    #expect(verdict.failedCheck == nil && !verdict.isValid)
    #expect(verdict.checks.first { $0.check == .path }?.outcome == .notRun)
    // Half a second adds one more to the budget, and only one.
    #expect(code(verifier, stranger(903), at: TestAppStore.now + .milliseconds(499)) == .verificationBusy)
    #expect(code(verifier, stranger(903), at: TestAppStore.now + .milliseconds(500)) == .invalidChain)
    #expect(code(verifier, stranger(904), at: TestAppStore.now + .milliseconds(500)) == .verificationBusy)
    // A clock that is set back adds none.
    #expect(code(verifier, stranger(904), at: TestAppStore.signedDate) == .verificationBusy)
  }

  @Test func `reads no payload under an unknown chain without budget`() throws {
    let unreadable = JSONValue.members([("bundleId", .bool(true))])
    func code(_ verifier: SignedDataVerifier) -> SignedDataErrorCode? {
      let token = stranger(905).sign(unreadable)
      return verifier.verifyTransaction(token, expecting: expecting, at: TestAppStore.now).failure?.code
    }
    #expect(code(try TestAppStore.verifier()) == .malformedPayload)
    #expect(code(try TestAppStore.verifier(limits { $0.unknownChainsBurst = 0 })) == .verificationBusy)
  }

  @Test func `keeps room for a new leaf of a known authority`() throws {
    let verifier = try TestAppStore.verifier(
      limits {
        $0.unknownChainsBurst = 2; $0.unknownChainsPerSecond = 0
      })
    #expect(code(verifier, leaf(1)) == nil)
    for number in 0..<5 { _ = code(verifier, stranger(UInt64(910 + number))) }
    #expect(code(verifier, stranger(919)) == .verificationBusy)
    #expect(code(verifier, leaf(2)) == nil)
    #expect(code(verifier, leaf(1)) == nil, "a known chain needs no budget")
  }

  @Test func `refuses a known bad chain again without budget, and by the same check`() throws {
    let verifier = try TestAppStore.verifier(
      limits {
        $0.unknownChainsBurst = 1; $0.unknownChainsPerSecond = 0
      })
    for _ in 0..<10 { #expect(code(verifier, stranger(920)) == .invalidChain) }
    #expect(code(verifier, stranger(921)) == .verificationBusy)
  }

  @Test func `refuses the last headers again without budget, and forgets the oldest`() throws {
    let verifier = try TestAppStore.verifier(
      limits {
        $0.unknownChainsBurst = 6; $0.unknownChainsPerSecond = 0; $0.refusedHeadersMax = 4
      })
    func code(_ number: Int) -> SignedDataErrorCode? {
      let header = TestAppStore.header([("kid", .string("\(number)"))], stranger(931))
      let token = TestAppStore.chain.sign(TestAppStore.transaction.bytes, header: header)
      return verifier.verifyTransaction(token, expecting: expecting, at: TestAppStore.now).failure?.code
    }
    let order = [300, 1, 5, 100, 4, 20]
    for number in order { #expect(code(number) == .invalidChain) }
    for number in order.suffix(4) { #expect(code(number) == .invalidChain) }
    for number in order.prefix(2) { #expect(code(number) == .verificationBusy) }
    for number in order.suffix(4).reversed() { #expect(code(number) == .invalidChain) }
  }

  @Test func `accepts a chain although one token was signed outside its validity`() throws {
    let verifier = try TestAppStore.verifier()
    let chain = leaf(3)
    let late = TestAppStore.transaction.with([("signedDate", .integer((TestAppStore.now - .days(11)).milliseconds))])
    let verdict = verifier.verifyTransaction(chain.sign(late), expecting: expecting, at: TestAppStore.now)
    #expect(verdict.failure?.code == .expired)
    #expect(code(verifier, chain) == nil)
    #expect(
      verifier.verifyTransaction(chain.sign(late), expecting: expecting, at: TestAppStore.now).failure?.code == .expired
    )
  }

  @Test func `forgets a chain after a day, at the end of its validity, and when it is full`() throws {
    // With a budget of one, only what is remembered is still accepted.
    let once = limits {
      $0.unknownChainsBurst = 1; $0.unknownChainsPerSecond = 0; $0.knownChainsMax = 1; $0.goodChainsMax = 0
    }
    var verifier = try TestAppStore.verifier(once)
    #expect(code(verifier, leaf(4)) == nil)
    #expect(code(verifier, leaf(4), at: TestAppStore.now + .hours(24) - .milliseconds(1)) == nil)
    #expect(code(verifier, leaf(4), at: TestAppStore.now + .hours(24)) == .verificationBusy)
    verifier = try TestAppStore.verifier(once)
    let short = leaf(5, notAfter: TestAppStore.now + .hours(1))
    #expect(code(verifier, short) == nil)
    #expect(code(verifier, short, at: TestAppStore.now + .hours(1)) == nil)
    #expect(code(verifier, short, at: TestAppStore.now + .hours(1) + .seconds(1)) == .verificationBusy)
    verifier = try TestAppStore.verifier(
      limits {
        $0.unknownChainsBurst = 2; $0.unknownChainsPerSecond = 0; $0.knownChainsMax = 1; $0.goodChainsMax = 0
      })
    #expect(code(verifier, leaf(6)) == nil)
    // Both use the budget for unknown chains: the intermediate of the second is forgotten together with the first.
    #expect(code(verifier, leaf(7)) == nil)
    #expect(code(verifier, leaf(6)) == nil)
    #expect(code(verifier, leaf(7)) == .verificationBusy || code(verifier, leaf(6)) == .verificationBusy)
  }

  @Test func `remembers an old chain, for evidence from years ago`() throws {
    let verifier = try TestAppStore.verifier(
      limits {
        $0.unknownChainsBurst = 1; $0.unknownChainsPerSecond = 0
      })
    let chain = leaf(8)
    let years = TestAppStore.now + .days(2000)
    for _ in 0..<5 { #expect(code(verifier, chain, at: years) == nil) }
    let backdated = TestAppStore.transaction.with([
      ("signedDate", .integer((TestAppStore.now + .days(11)).milliseconds))
    ])
    #expect(
      verifier.verifyTransaction(chain.sign(backdated), expecting: expecting, at: years).failure?.code == .expired)
  }

  @Test func `calls a notification busy when its parts could not be examined`() throws {
    let verifier = try TestAppStore.verifier(
      limits {
        $0.unknownChainsBurst = 1; $0.unknownChainsPerSecond = 0
      })
    #expect(code(verifier, leaf(9)) == nil)
    _ = code(verifier, leaf(10))
    let token = leaf(9).sign(TestAppStore.notification(transaction: leaf(11).sign(TestAppStore.transaction)))
    let verdict = verifier.verifyNotification(token, expecting: expecting, at: TestAppStore.now)
    #expect(!verdict.isValid && verdict.notification.failure?.code == .verificationBusy)
    #expect(verdict.transaction?.failure?.code == .verificationBusy)
  }

  @Test func `is bounded, whatever clients send`() throws {
    let verifier = try TestAppStore.verifier(
      limits {
        $0.unknownChainsBurst = 1000; $0.refusedHeadersMax = 4; $0.knownChainsMax = 2
      })
    // Many bad headers: each is a different text for one bad chain.
    for number in 0..<40 {
      let header = TestAppStore.header([("kid", .string("\(number)"))], stranger(930))
      let token = TestAppStore.chain.sign(TestAppStore.transaction.bytes, header: header)
      #expect(
        verifier.verifyTransaction(token, expecting: expecting, at: TestAppStore.now).failure?.code == .invalidChain)
    }
    for number in 0..<6 as Range<UInt32> { #expect(code(verifier, leaf(20 + number)) == nil) }
    for number in 0..<6 as Range<UInt32> { #expect(code(verifier, leaf(20 + number)) == nil) }
  }

  @Test func `serves many tasks at once`() async throws {
    let verifier = try SignedDataVerifier(Forgery.configuration)
    let tokens = (0..<4 as Range<UInt32>).map { leaf(40 + $0).sign(TestAppStore.transaction) }
    let forged = Forgery.ofSignature.map(\.token) + Forgery.ofChainTrust.prefix(7).map(\.token)
    let wrong = await withTaskGroup(of: Int.self) { group in
      for start in 0..<8 {
        group.addTask {
          (0..<50).count { step in
            let good = verifier.verifyTransaction(
              tokens[(start + step) % tokens.count], expecting: expecting, at: TestAppStore.now)
            let bad = verifier.verifyTransaction(
              forged[(start * 7 + step) % forged.count], expecting: expecting, at: TestAppStore.now)
            return !good.isValid || bad.isValid
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }
}
