import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

// Checks for the operator's grants.

extension WorldOracle {
  /// Checks that the charge is granted as a purchase of its own. It must belong to the user that the operator named,
  /// or to the user of a later restore.
  func judgeOperator(_ charge: SimulatedCharge, _ finding: Finding) {
    let id = charge.transaction.id
    guard let user = context.operatorBook.user(of: id), !isTiedWithARefund(charge) else { return }
    guard let payment = finding.payment, payment.state.wasGranted, let grant = finding.grant,
      ids(of: charge).contains(payment.key.transaction)
    else {
      let state = finding.payment.map { "\($0.key.transaction), which is \($0.state.name)" } ?? "nothing"
      return events.reportViolation("an operator gave \(id) to \(user), and it counts as \(state)")
    }
    if grant.user != user, !finding.hasMoved {
      events.reportViolation("an operator gave \(id) to \(user), and it is \(grant.user)'s")
    }
    events.mark(.claimedByOperator)
    if finding.journal.contains(where: { $0.what == "payment.reversed" }) { events.mark(.claimedThenRefunded) }
    let isLeft = grant.isInForce
    if canKnowRefunds(of: id), isLeft != (charge.refundedPercentage == 0) {
      events.reportViolation("an operator gave \(id) to \(user), and \(isLeft ? "all" : "nothing") of it is left")
    }
  }
}
