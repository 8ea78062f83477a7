import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// Checks the operator's grants.
struct OperatorGrantCheck: Sendable {
  let records: WorldRecords
  let repeats: RepeatPurchases

  /// Checks that the charge is granted as a purchase of its own. It must belong to the user that the operator named,
  /// or to the user of a later restore.
  func check(_ charge: SimulatedCharge, _ finding: ChargeFinding) {
    let id = charge.transaction.id
    // Whoever was merged or erased since then has another name.
    guard let user = records.context.operatorBook.user(of: id).map(records.context.merges.present),
      !repeats.isTiedWithARefund(charge)
    else { return }
    guard let payment = finding.payment, payment.state.wasGranted, let grant = finding.grant,
      records.ids(of: charge).contains(payment.key.transaction)
    else {
      let state = finding.payment.map { "\($0.key.transaction), which is \($0.state.name)" } ?? "nothing"
      return records.events.reportViolation("an operator gave \(id) to \(user), and it counts as \(state)")
    }
    if grant.user != user, !finding.hasMoved {
      records.events.reportViolation("an operator gave \(id) to \(user), and it is \(grant.user)'s")
    }
    records.events.mark(.claimedByOperator)
    if finding.journal.contains(where: { $0.what == "payment.reversed" }) {
      records.events.mark(.claimedThenRefunded)
    }
    let isLeft = grant.isInForce
    if records.canKnowRefunds(of: id), isLeft != (charge.refundedPercentage == 0) {
      records.events.reportViolation(
        "an operator gave \(id) to \(user), and \(isLeft ? "all" : "nothing") of it is left")
    }
  }
}
