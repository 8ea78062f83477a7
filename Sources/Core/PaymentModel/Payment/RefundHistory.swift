package import PaymentPrimitives

/// When the store took back all of a purchase and when it undid that, as reported under one transaction id.
///
/// The store's newest statement reports only the last refund. A repeated purchase during an earlier refund is known
/// only from this history, in any order of statements (docs/specification/invariants.md, 2.7).
package struct RefundHistory: Hashable, Sendable {
  /// The dates of revocations, in order.
  package private(set) var revocations: [Timestamp] = []
  /// When each REFUND_REVERSED was signed, in order.
  package private(set) var reversals: [Timestamp] = []

  /// Bound on the kept dates; the newest are kept. No plausible purchase is refunded and restored more often.
  private static let limit = 20

  package init() {}

  /// What several ids of one purchase report together: a refund under one id may be reversed under another.
  package init(merging histories: [RefundHistory]) {
    for history in histories {
      for date in history.revocations { Self.insert(date, &revocations) }
      for date in history.reversals { Self.insert(date, &reversals) }
    }
  }

  /// Records what one statement says.
  ///
  /// - Parameters:
  ///   - revocation: its revocation. A partial refund does not count: the purchase stays with its owner.
  ///   - reversedAt: the signing time, if it is a REFUND_REVERSED.
  package mutating func take(_ revocation: Revocation?, reversedAt: Timestamp?) {
    if let revocation, revocation.percentage ?? 100_000 >= 100_000 { Self.insert(revocation.date, &revocations) }
    if let reversedAt { Self.insert(reversedAt, &reversals) }
  }

  private static func insert(_ moment: Timestamp, _ moments: inout [Timestamp]) {
    guard !moments.contains(moment) else { return }
    moments = Array((moments + [moment]).sorted().suffix(limit))
  }

  /// The past periods in which all was taken back.
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
  /// The stored form: `r` or `u` and milliseconds since 1970, separated by commas; empty if nothing was reported.
  package var text: String {
    (revocations.map { "r\($0.milliseconds)" } + reversals.map { "u\($0.milliseconds)" }).joined(separator: ",")
  }

  /// Reads the stored form; nil for a text that `text` does not write.
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
