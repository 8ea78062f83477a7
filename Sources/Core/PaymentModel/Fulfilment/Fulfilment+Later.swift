import PaymentPrimitives

/// Later statements of the store about a granted payment: its refund was reversed, or its period was extended.
extension Fulfilment {
  /// Gives back what the newest facts no longer take back. The change gets the name of the revocation that it undoes.
  ///
  /// The store states the total that is refunded. So exactly this total stays taken, even if updates in between are
  /// missing.
  static func giveBack(_ input: FulfilmentInput, in plan: inout FulfilmentPlan) throws(Problem) {
    // Our own refunds are tracked by their numbers, not by the payment's facts.
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
    // An imported entitlement returns without a delivery, just as it ends without one.
    guard plan.payment.state != .imported else { return }
    try receive(.reinstated(amount: grant.takenBack), in: &plan)
    plan.announcements.append(.init(kind: .reinstated, cause: cause, amount: amount, takenBack: grant.takenBack))
    if case .units(let unit, _) = grant.content {
      plan.postings.append(
        Posting(
          appEnvironment: grant.payment.appEnvironment, unit: unit, debit: .issued(grant.payment.store),
          credit: .user(grant.user),
          amount: amount, payment: grant.payment, cause: "reinstatement:" + cause, at: input.now))
    }
  }

  /// Updates the end of a period from the newest facts, because the store may extend it. The other content stays as
  /// promised.
  static func extendPeriod(_ input: FulfilmentInput, in plan: inout FulfilmentPlan) {
    guard !plan.grantIsNew, plan.payment.facts.kind == .autoRenewable, var grant = plan.grant,
      case .entitlement(let name, let from, let until) = grant.content,
      let expires = plan.payment.facts.expiresDate, expires != until
    else { return }
    grant.content = .entitlement(name, from: from, until: expires)
    plan.grant = grant
    plan.extendsPeriod = true
    plan.events.append(.grantPeriodChanged)
  }
}
