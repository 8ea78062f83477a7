import AppStoreProtocol
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives

// After a restart every certificate chain is unknown again, and many false ones might delay the genuine one. So the
// digests of verified chains are stored: these chains are verified again, but outside the budget.
extension PaymentEngine {
  static let goodChainsSetting = "appStore.goodChains"

  /// Stores the digests of chains that were verified for the first time; mostly there are none.
  func keepGoodChains() async {
    guard let (verifier, receiptVerifier) = appStore.map({ ($0.verifier, $0.receiptVerifier) }) else { return }
    let tokens = verifier.takeNewGoodChains()
    let receipts = receiptVerifier.takeNewGoodChains()
    guard tokens != nil || receipts != nil else { return }
    let found = (tokens ?? []) + (receipts ?? [])
    do {
      try await transact { transaction in
        let kept = Self.digests(in: try transaction.setting(Self.goodChainsSetting) ?? "")
        var all = kept.filter { !found.contains($0) } + found
        if all.count > Self.goodChainsMax { all.removeFirst(all.count - Self.goodChainsMax) }
        try transaction.set(Self.goodChainsSetting, to: Self.text(of: all))
      }
    } catch {
      // They stay valid until the program ends, and are reported again with the next one.
      if tokens != nil { verifier.keepNewGoodChains() }
      if receipts != nil { receiptVerifier.keepNewGoodChains() }
      log(LogEvent(.warning, "certificates.notKept", [("error", "\(error)")]))
    }
  }

  /// Loads the chains that an earlier run has verified.
  func recallGoodChains() async {
    guard let (verifier, receiptVerifier) = appStore.map({ ($0.verifier, $0.receiptVerifier) }) else { return }
    do {
      let digests = Self.digests(in: try await read { try $0.setting(Self.goodChainsSetting) } ?? "")
      verifier.recall(goodChains: digests)
      receiptVerifier.recall(goodChains: digests)
    } catch {
      // Without them each chain counts against the budget once.
      log(LogEvent(.warning, "certificates.notRecalled", [("error", "\(error)")]))
    }
  }

  /// The most digests stored, of tokens and of receipts.
  private static let goodChainsMax = 128

  private static func text(of digests: [[UInt8]]) -> String {
    digests.map { digest in digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
      .joined(separator: " ")
  }

  private static func digests(in text: String) -> [[UInt8]] {
    text.split(separator: " ").compactMap { digits in
      let bytes = stride(from: 0, to: digits.utf8.count - 1, by: 2).compactMap { offset in
        let start = digits.index(digits.startIndex, offsetBy: offset)
        return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
      }
      return bytes.count == 32 ? bytes : nil
    }
  }
}
