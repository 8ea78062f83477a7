import PaymentPrimitives

/// What happens when a store takes back more units than the user still has, because the user spent them before the
/// refund.
package enum DebtPolicy: String, CaseIterable, Hashable, Sendable {
  /// The balance goes below zero; later purchases fill it up first.
  case negative
  /// The balance stops at zero; the missing amount is written off.
  case clamp
  /// The balance goes below zero. The user cannot spend from it until it is refilled or an operator writes the debt
  /// off.
  case freeze
}

extension FulfilmentPlan {
  /// Adds what the grant's debt policy requires to a plan with reversals and reinstatements.
  ///
  /// Under `clamp`, the refund itself is posted in full. The part that the user no longer has comes back from the
  /// account `writtenOff`. So every refund is one posting of its own amount, whatever the user's balance is. A
  /// reinstatement first undoes the write-off: the user settles the debt before they receive units. This holds in any
  /// order of reversals and reinstatements. The user never gets back more than was really taken.
  /// - Parameters:
  ///   - balance: the balance of the grant's user in its unit before the plan.
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
        // An earlier debt does not belong to this refund: it stays.
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
  /// The amount written off; negative where it undoes a write-off.
  var writtenOff: Int64 {
    if debit == .writtenOff { return amount }
    return credit == .writtenOff ? -amount : 0
  }

  fileprivate func followed(
    by amount: Int64, from debit: LedgerAccount, to credit: LedgerAccount, _ unit: UnitName, _ cause: String
  ) -> Posting? {
    guard case .payment(let payment, _) = source else { return nil }
    return Posting(
      appEnvironment: appEnvironment, unit: unit, debit: debit, credit: credit, amount: amount, payment: payment,
      cause: cause, at: at)
  }
}
