/// The pieces of a purchase that a partial refund takes back.
enum RefundedPieces {
  /// Never more than the refunded share, as a running total.
  static func count(_ part: Int64, of whole: Int64, in pieces: Int64) -> Int64 {
    whole <= 0 ? 0 : pieces * min(max(part, 0), whole) / whole
  }
}
