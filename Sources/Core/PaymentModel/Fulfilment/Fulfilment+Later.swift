import PaymentPrimitives

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
    grant.takenBack -= amount
    let cause = RefundNames.ofUndoing(in: grant, after: input.changes + plan.changes)
    plan.grant = grant
    plan.changes.append(
      GrantChange(payment: grant.payment, kind: .reinstatement, cause: cause, amount: amount, at: input.now))
    // Like its end, the return of an imported right is no news of ours to the backend.
    guard plan.payment.state != .imported else { return }
    try receive(.reinstated(amount: grant.takenBack), in: &plan)
    plan.announcements.append(.init(kind: .reinstated, cause: cause, amount: amount, takenBack: grant.takenBack))
    if case .units(let unit, _) = grant.content {
      plan.postings.append(
        Posting(
          realm: grant.payment.realm, unit: unit, debit: .issued(grant.payment.store), credit: .user(grant.user),
          amount: amount, payment: grant.payment, cause: "reinstatement:" + cause, at: input.now))
    }
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
