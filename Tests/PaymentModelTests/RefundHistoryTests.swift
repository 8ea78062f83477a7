import PaymentModel
import PaymentPrimitives
import Testing

/// What one transaction id states about refunds, in any order (record 164).
@Suite struct `A history of refunds` {
  private static func day(_ days: Int64) -> Timestamp { Purchases.noon + .days(days) }

  private enum Told: Hashable {
    case refund(Int64, percentage: Int64? = nil)
    case reversal(Int64)
  }

  private static func history(_ told: [Told]) -> RefundHistory {
    var history = RefundHistory()
    for one in told {
      switch one {
      case .refund(let at, let percentage):
        history.take(Revocation(date: day(at), percentage: percentage), reversedAt: nil)
      case .reversal(let at): history.take(nil, reversedAt: day(at))
      }
    }
    return history
  }

  private static func refunds(_ told: Told...) -> [Range<Timestamp>] { history(told).refunds }

  @Test func `has no completed refund without its reversal`() {
    #expect(Self.refunds(.refund(1)) == [])
    #expect(Self.refunds(.reversal(2)) == [])
    #expect(Self.refunds(.refund(3), .reversal(2)) == [])
  }

  @Test func `omits refunds of a part of the price`() {
    #expect(Self.refunds(.refund(1, percentage: 99_999), .reversal(2)) == [])
  }

  @Test func `contains each completed refund, in any order of the statements`() {
    let told: [Told] = [.refund(1), .reversal(2), .refund(4), .reversal(7), .refund(9)]
    let expected = [Self.day(1)..<Self.day(2), Self.day(4)..<Self.day(7)]
    #expect(Self.history(told).refunds == expected)
    #expect(Self.history(told.reversed()).refunds == expected)
    #expect(Self.history(told + told).refunds == expected)
  }

  @Test func `is read back as it was written, and damaged texts are refused`() {
    let history = Self.history([.refund(1), .reversal(2), .refund(4)])
    #expect(RefundHistory(text: history.text) == history)
    #expect(RefundHistory(text: "") == RefundHistory())
    for damaged in ["1", "r", "x1", "r1,u", "r1;u2"] { #expect(RefundHistory(text: damaged) == nil) }
  }

  @Test func `keeps the newest twenty`() {
    #expect(Self.history((0..<50).map { .refund($0) }).revocations == (30..<50).map { Self.day($0) })
  }
}
