import PaymentVocabulary

/// What the store says later of a payment that was granted: its refund was reversed, its period was extended.
extension Fulfilment {
  /// What the newest facts do not take back any more is given back, named by the revocation that is undone.
  ///
  /// The store states how much is refunded in all; so whatever news was missed in between, this much stays taken.
  static func giveBack(_ input: FulfilmentInput, in plan: inout FulfilmentPlan) throws(Problem) {
    // Refunds that we ask for ourselves are told by their numbers, not by the payment's facts.
    guard input.refunds.isEmpty, input.payment.key.store == .appStore, !plan.grantIsNew, var grant = plan.grant
    else { return }
    let taken = plan.payment.facts.revocation?.amount(of: grant) ?? 0
    let amount = grant.takenBack - taken
    guard amount > 0 else { return }
    let cause = undoneCause(input.changes + plan.changes, plan.payment.facts)
    grant.takenBack -= amount
    plan.grant = grant
    plan.changes.append(
      GrantChange(payment: grant.payment, kind: .reinstatement, cause: cause, amount: amount, at: input.now))
    // Like its end, the return of an imported right is no news of ours to the backend.
    guard plan.payment.state != .imported else { return }
    try receive(.reinstated(amount: grant.takenBack), in: &plan)
    plan.announcements.append(.init(kind: .reinstated, cause: cause, amount: amount))
    if case .units(let unit, _) = grant.content {
      plan.postings.append(
        Posting(
          realm: grant.payment.realm, unit: unit, debit: .issued(grant.payment.store), credit: .user(grant.user),
          amount: amount, payment: grant.payment, cause: "reinstatement:" + cause, at: input.now))
    }
  }

  /// The revocation that is undone: the last that was not undone before. Where only a part of one comes back at a time,
  /// the later parts are told apart by when the store signed them.
  private static func undoneCause(_ changes: [GrantChange], _ facts: VerifiedPayment) -> String {
    let undone = changes.filter { $0.kind == .reinstatement }.map(\.cause)
    let reversals = changes.filter { $0.kind == .reversal }.map(\.cause)
    if let last = reversals.last(where: { !undone.contains($0) }) { return last }
    return (reversals.last ?? "") + "@" + String(facts.signedDate.seconds)
  }

  /// A period ends when the newest facts say: the store may have extended it. What it gives stays what was promised.
  static func extendPeriod(_ input: FulfilmentInput, in plan: inout FulfilmentPlan) {
    guard !plan.grantIsNew, plan.payment.facts.kind == .autoRenewable, var grant = plan.grant,
      case .entitlement(let name, let from, let until) = grant.content,
      let expires = plan.payment.facts.expiresDate, expires != until
    else { return }
    grant.content = .entitlement(name, from: from, until: expires)
    plan.grant = grant
    plan.story.append("grant.periodChanged")
  }
}
