import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import Testing

@Suite struct `A verifier of receipts` {
  private static func verifier(leavingOut check: ReceiptCheck? = nil) throws -> ReceiptVerifier {
    let intermediates = [TestReceipts.chain.certificates[1]]
    #if DEBUG
      if let check {
        return try ReceiptVerifier(ReceiptForgery.configuration, intermediates: intermediates, leavingOut: check)
      }
    #endif
    return try ReceiptVerifier(ReceiptForgery.configuration, intermediates: intermediates)
  }

  @Test(arguments: ReceiptForgery.all)
  func `refuses by the named check`(_ forgery: ReceiptForgery) throws {
    let verifier = try Self.verifier()
    // Twice, because the second time the chain may be known.
    for round in 1...2 {
      let outcome = forgery.judge(verifier)
      #expect(!outcome.isValid, "round \(round)")
      #expect(outcome.check == forgery.check, "round \(round)")
      #expect(outcome.code == forgery.code, "round \(round)")
    }
  }

  #if DEBUG
    /// Each check is necessary: without it a forgery is accepted, and no forgery that another check refuses.
    @Test(arguments: ReceiptCheck.allCases)
    func `would accept a forgery without`(_ check: ReceiptCheck) throws {
      let verifier = try Self.verifier(leavingOut: check)
      let accepted = ReceiptForgery.all.filter { $0.judge(verifier).isValid }
      #expect(!accepted.isEmpty)
      #expect(accepted.allSatisfy { $0.check == check }, "\(accepted.map(\.name))")
    }
  #endif

  @Test func `refuses a receipt with any byte changed (A1)`() throws {
    var limits = SignedDataLimits()
    limits.unknownChainsBurst = 100_000
    let verifier = try TestReceipts.verifier(limits)
    let bytes: [UInt8] = TestReceipts.chain.appReceipt(TestReceipts.content().bytes)
    let judge = { (bytes: [UInt8]) in
      verifier.verifyAppReceipt(
        Base64.encode(bytes), expecting: TestReceipts.expectations, device: TestReceipts.device, at: TestAppStore.now)
    }
    let good = try #require(judge(bytes).verified)
    // Version numbers, the list of digests and the root, which the anchor replaces, are not signed. A change there does
    // not change what the receipt states.
    for place in stride(from: 0, to: bytes.count, by: 7) {
      var changed = bytes
      changed[place] ^= 0x11
      if let verified = judge(changed).verified { #expect(verified.receipt == good.receipt, "byte \(place)") }
    }
    for length in stride(from: 0, to: bytes.count, by: 29) { #expect(!judge(Array(bytes.prefix(length))).isValid) }
  }

  @Test func `trusts only Apple in a production profile`() {
    #expect(throws: CodedError<SignedDataErrorCode>(.unsafeConfiguration)) {
      try ReceiptVerifier(SignedDataConfiguration(profile: .production, anchors: [ReceiptRecipe.trustedRoot]))
    }
  }

  @Test func `has a budget for unknown certificates, and known ones do not use it`() throws {
    var limits = SignedDataLimits()
    limits.unknownChainsBurst = 1
    limits.unknownChainsPerSecond = 0
    let verifier = try TestReceipts.verifier(limits)
    let judge = { (text: String) in
      verifier.verifyAppReceipt(text, expecting: TestReceipts.expectations, at: TestAppStore.now)
    }
    let good = TestReceipts.chain.appReceipt(TestReceipts.content())
    let strange = ReceiptRecipe { $0.signerSigner = ReceiptRecipe.otherKey }.chain.appReceipt(TestReceipts.content())
    for _ in 1...3 { #expect(judge(good).isValid) }
    _ = judge(strange)
    let verdict = judge(ReceiptRecipe { $0.signer.serialNumber = [9] }.chain.appReceipt(TestReceipts.content()))
    #expect(verdict.failure?.code == .busy && verdict.failedCheck == nil)
    #expect(ReceiptErrorCode.busy.retry == .later)
    #expect(judge(good).isValid)
  }

  private func onceOnly(_ change: (inout SignedDataLimits) -> Void = { _ in }) throws -> ReceiptVerifier {
    var limits = SignedDataLimits()
    (limits.unknownChainsBurst, limits.unknownChainsPerSecond) = (1, 0)
    change(&limits)
    return try TestReceipts.verifier(limits)
  }

  private func code(
    _ verifier: ReceiptVerifier, _ chain: ReceiptSigningChain, from sender: String? = nil
  ) -> ReceiptErrorCode? {
    verifier.verifyAppReceipt(
      chain.appReceipt(TestReceipts.content()), expecting: TestReceipts.expectations, at: TestAppStore.now, from: sender
    ).failure?.code
  }

  /// Its signer is none of those that its names lead to.
  private func falseChain(_ number: UInt8) -> ReceiptSigningChain {
    ReceiptRecipe {
      $0.signer.serialNumber = [number]
      $0.signerSigner = ReceiptRecipe.otherKey
    }.chain
  }

  @Test func `charges false certificates to their sender alone, and to no sender if none is named`() throws {
    let verifier = try onceOnly {
      ($0.unknownChainsBurst, $0.chainsPerSenderBurst, $0.chainsPerSenderPerSecond) = (100, 2, 0)
    }
    #expect(code(verifier, falseChain(11), from: "a") == .untrusted)
    #expect(code(verifier, falseChain(12), from: "a") == .busy)
    #expect(code(verifier, falseChain(13), from: "b") == .untrusted)
    for number in 20..<24 as Range<UInt8> { #expect(code(verifier, falseChain(number)) == .untrusted) }
  }

  @Test func `spends no common budget on names that lead to no root`() throws {
    let verifier = try onceOnly()
    for number in 1...5 {
      let stranger = ReceiptRecipe { $0.root.subject = X509NameParts(commonName: "Nobody \(number)") }.chain
      #expect(code(verifier, stranger) == .untrusted)
    }
    #expect(code(verifier, TestReceipts.chain) == nil)
  }

  @Test func `needs no budget for a chain that an earlier run accepted, for both kinds of receipts`() throws {
    func transactionCode(_ verifier: ReceiptVerifier) -> ReceiptErrorCode? {
      verifier.verifyTransactionReceipt(
        TestReceipts.chain.transactionReceipt(TestReceipts.fields(), environment: "Sandbox"),
        expecting: SignedDataExpectations(apps: TestReceipts.expectations.apps), at: TestAppStore.now
      ).failure?.code
    }
    let kinds: [(ReceiptVerifier) -> ReceiptErrorCode?] = [{ self.code($0, TestReceipts.chain) }, transactionCode]
    for judge in kinds {
      let first = try onceOnly()
      // A chain that is examined again each time counts once.
      for _ in 0..<3 { #expect(judge(first) == nil) }
      let digests = try #require(first.takeNewGoodChains())
      #expect(digests.count == 1)
      let second = try onceOnly()
      second.recall(goodChains: digests)
      #expect(code(second, falseChain(31)) == .untrusted)
      #expect(code(second, falseChain(32)) == .busy)
      #expect(judge(second) == nil)
    }
  }

  @Test func `accepts receipts of Xcode only by configuration`() throws {
    let content = TestReceipts.content(environment: "Xcode", device: nil)
    let strange = ReceiptRecipe { $0.root.subject = X509NameParts(commonName: "StoreKit") }.chain.appReceipt(content)
    let expecting = SignedDataExpectations(environments: [.xcode])
    let strict = try ReceiptVerifier(.production)
    #expect(!strict.verifyAppReceipt(strange, expecting: expecting, at: TestAppStore.now).isValid)
    let lenient = try ReceiptVerifier(
      SignedDataConfiguration(profile: .development, unsignedEnvironments: [.xcode]))
    let verdict = lenient.verifyAppReceipt(strange, expecting: expecting, at: TestAppStore.now)
    #expect(verdict.verified?.environment == .xcode)
    #expect(verdict.checks.first { $0.check == .signature }?.outcome == .notRun)
  }

  @Test func `lists every check in order, and which checks were not run`() throws {
    let verifier = try TestReceipts.verifier()
    let good = verifier.verifyAppReceipt(
      TestReceipts.chain.appReceipt(TestReceipts.content()), expecting: TestReceipts.expectations,
      device: TestReceipts.device, at: TestAppStore.now)
    #expect(good.checks.map(\.check) == ReceiptCheck.allCases)
    #expect(good.checks.allSatisfy { $0.outcome == .passed && !$0.detail.isEmpty })
    let bad = verifier.verifyAppReceipt(
      ReceiptRecipe { $0.signer.extensions = [] }.chain.appReceipt(TestReceipts.content()),
      expecting: TestReceipts.expectations, at: TestAppStore.now)
    let failed = try #require(ReceiptCheck.allCases.firstIndex(of: .leafMarker))
    #expect(bad.checks.prefix(failed).allSatisfy { $0.outcome == .passed })
    #expect(bad.checks[failed].outcome == .failed)
    #expect(bad.checks.dropFirst(failed + 1).allSatisfy { $0.outcome == .notRun })
    #expect(bad.unverified?.bundleId == TestAppStore.bundleId && bad.verified == nil)
  }
}
