import PaymentPrimitives

/// What happens when a store takes back more units than the user still has, because he spent them before the refund.
package enum DebtPolicy: String, CaseIterable, Hashable, Sendable {
  /// The balance goes below zero; later purchases fill it up first.
  case negative
  /// The balance stops at zero; what is missing is written off.
  case clamp
  /// The balance goes below zero, and nothing is spent of it until it is filled up or an operator writes the debt off.
  case freeze
}

extension FulfilmentPlan {
  /// Adds what the grant's debt policy asks for, to a plan with its reversals and reinstatements.
  ///
  /// Under `clamp` the refund itself is posted in full, and the part that the user no longer has comes back to him from
  /// the account of what is written off: so every refund is one posting of its own amount, whatever the user had. What
  /// is given back again undoes the write-off first: the user owes before he gets, in whatever order parts are taken
  /// and given back, and never gets back more than was really taken from him.
  /// - Parameters:
  ///   - balance: what the grant's user had of its unit before the plan.
  ///   - postings: the postings of this payment before the plan.
  package mutating func keepDebt(balance: Int64, after postings: [Posting]) {
    guard let grant, case .units(let unit, _) = grant.content, !changes.isEmpty else { return }
    let user = LedgerAccount.user(grant.user)
    var present = balance
    var writtenOff = postings.reduce(0) { $0 + $1.writtenOff }
    var kept: [Posting] = []
    for posting in self.postings {
      kept.append(posting)
      guard posting.credit == user || posting.debit == user else { continue }
      let before = present
      present = present &+ (posting.credit == user ? posting.amount : -posting.amount)
      guard grant.debt == .clamp, case .payment(_, let cause) = posting.source else { continue }
      var settling: Posting?
      if posting.debit == user, cause.hasPrefix(Self.reversal), present < min(before, 0) {
        // A debt that was there before is not this refund's: it stays.
        settling = posting.followed(
          by: min(before, 0) - present, from: .writtenOff, to: user, unit,
          "writeOff:" + cause.dropFirst(Self.reversal.count))
      } else if posting.credit == user, cause.hasPrefix(Self.reinstatement), writtenOff > 0 {
        settling = posting.followed(
          by: min(writtenOff, posting.amount), from: user, to: .writtenOff, unit,
          "writeOffUndone:" + cause.dropFirst(Self.reinstatement.count))
      }
      guard let settling else { continue }
      present = present &+ (settling.credit == user ? settling.amount : -settling.amount)
      writtenOff += settling.writtenOff
      kept.append(settling)
    }
    self.postings = kept
    let isReversed = changes.contains { $0.kind == .reversal }
    freezesBalance = grant.debt == .freeze && isReversed && present < 0
  }

  private static let reversal = GrantChange.Kind.reversal.rawValue + ":"
  private static let reinstatement = GrantChange.Kind.reinstatement.rawValue + ":"
}

extension Posting {
  /// How much it writes off; less than 0 where it undoes that.
  var writtenOff: Int64 {
    if debit == .writtenOff { return amount }
    return credit == .writtenOff ? -amount : 0
  }

  fileprivate func followed(
    by amount: Int64, from debit: LedgerAccount, to credit: LedgerAccount, _ unit: UnitName, _ cause: String
  ) -> Posting? {
    guard case .payment(let payment, _) = source else { return nil }
    return Posting(
      realm: realm, unit: unit, debit: debit, credit: credit, amount: amount, payment: payment, cause: cause, at: at)
  }
}
