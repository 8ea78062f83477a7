import PaymentPrimitives

extension Fulfilment {
  /// Whether our refunds returned all of the money before anything was granted.
  static func isWhollyRefundedBeforeGrant(_ input: FulfilmentInput) -> Bool {
    guard !input.payment.state.wasGranted, let total = input.refunds.first?.total.minorUnits else { return false }
    return refunded(input.refunds) >= total
  }

  /// Finished refunds take back floor(parts × refunded ÷ paid) in total. So partial refunds that add up to the whole
  /// price take back the whole grant, in any order of arrival.
  static func takeBackRefunds(_ input: FulfilmentInput, in plan: inout FulfilmentPlan) throws(Problem) {
    guard var grant = plan.grant, let total = input.refunds.first?.total.minorUnits, total > 0 else { return }
    let tookEffect = { (refund: Refund) in
      input.changes.contains { $0.kind == .reversal && $0.cause.utf8.elementsEqual(refund.number.utf8) }
    }
    let update = input.refunds.filter { !tookEffect($0) }.sorted(by: isBefore)
    for index in update.indices {
      let known = input.refunds.filter(tookEffect) + update[...index]
      let share = UInt64(min(refunded(known), total))
      let product = grant.parts.magnitude.multipliedFullWidth(by: share)
      let target = Int64(UInt64(total).dividingFullWidth(product).quotient)
      try takeBack(target - grant.takenBack, of: &grant, update[index].number, input: input, in: &plan)
    }
  }

  private static func isBefore(_ a: Refund, _ b: Refund) -> Bool {
    (a.createdAt, a.number) < (b.createdAt, b.number)
  }

  /// The total refunded, at most the total paid.
  private static func refunded(_ refunds: [Refund]) -> Int64 {
    refunds.reduce(0) { sum, refund in
      let (more, overflow) = sum.addingReportingOverflow(max(0, refund.amount.minorUnits))
      return overflow ? .max : more
    }
  }

  private static func takeBack(
    _ amount: Int64, of grant: inout Grant, _ cause: String, input: FulfilmentInput, in plan: inout FulfilmentPlan
  ) throws(Problem) {
    guard amount > 0 else { return }
    grant.takenBack += amount
    plan.grant = grant
    plan.changes.append(
      GrantChange(payment: grant.payment, kind: .reversal, cause: cause, amount: amount, at: input.now))
    try receive(.reversed(amount: grant.takenBack), in: &plan)
    plan.announcements.append(.init(kind: .reversed, cause: cause, amount: amount, takenBack: grant.takenBack))
    if case .units(let unit, _) = grant.content {
      plan.postings.append(
        Posting(
          appEnvironment: grant.payment.appEnvironment, unit: unit, debit: .user(grant.user),
          credit: .issued(grant.payment.store),
          amount: amount, payment: grant.payment, cause: "reversal:" + cause, at: input.now))
    }
  }
}
