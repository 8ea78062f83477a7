package import PaymentPrimitives

/// When the store took all of a purchase back and when it undid that, as it told under one transaction id.
///
/// The store's newest statement tells of the last refund alone. What was bought again during an earlier refund is known
/// only by remembering it, in whatever order the statements come (docs/specification/invariants.md, 2.7).
package struct RefundHistory: Hashable, Sendable {
  /// The dates of revocations, in order.
  package private(set) var revocations: [Timestamp] = []
  /// When each REFUND_REVERSED was signed, in order.
  package private(set) var reversals: [Timestamp] = []

  /// A store that flips more often than this has lost its mind; the newest are kept.
  private static let limit = 20

  package init() {}

  /// Remembers what one statement tells.
  ///
  /// - Parameters:
  ///   - revocation: the one that it states; a part of the price leaves the purchase with its owner.
  ///   - reversedAt: when it was signed, if it is a REFUND_REVERSED.
  package mutating func take(_ revocation: Revocation?, reversedAt: Timestamp?) {
    if let revocation, revocation.percentage ?? 100_000 >= 100_000 { Self.insert(revocation.date, &revocations) }
    if let reversedAt { Self.insert(reversedAt, &reversals) }
  }

  private static func insert(_ moment: Timestamp, _ moments: inout [Timestamp]) {
    guard !moments.contains(moment) else { return }
    moments = Array((moments + [moment]).sorted().suffix(limit))
  }

  /// The times during which all was taken back, and which are over.
  package var refunds: [Range<Timestamp>] {
    var refunds: [Range<Timestamp>] = []
    var end: Timestamp?
    for reversal in reversals {
      let since = revocations.first { date in date < reversal && end.map { $0 <= date } != false }
      if let since { refunds.append(since..<reversal) }
      end = reversal
    }
    return refunds
  }
}

extension RefundHistory {
  /// As it is kept: `r` or `u`, and milliseconds since 1970, with commas; empty where nothing was told.
  package var text: String {
    (revocations.map { "r\($0.milliseconds)" } + reversals.map { "u\($0.milliseconds)" }).joined(separator: ",")
  }

  /// - Returns: nil for a text that `text` does not write.
  package init?(text: String) {
    for part in text.split(separator: ",") {
      guard let milliseconds = Int64(part.dropFirst()) else { return nil }
      switch part.first {
      case "r": Self.insert(Timestamp(milliseconds: milliseconds), &revocations)
      case "u": Self.insert(Timestamp(milliseconds: milliseconds), &reversals)
      default: return nil
      }
    }
  }
}
