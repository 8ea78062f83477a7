package import PaymentPrimitives

/// All rows that belong to one payment. The rules of money are checked on them before a commit and by the audit.
package struct PaymentRows: Hashable, Sendable {
  package var payment: Payment
  /// The order that the payment names, in its current state.
  package var order: Order?
  package var grant: Grant?
  package var changes: [GrantChange]
  package var postings: [Posting]
  /// Users whom postings may name beside the grant's: they were merged into that user.
  package var formerUsers: Set<UserIdentifier>
  /// The deliveries to the backend; nil when they are not checked.
  package var deliveries: [DeliveryFact]?
  /// The required origin of a new grant's promise; nil for a grant that existed before.
  package var promiseSource: PromiseSource?
  /// The order's data at WeChat Pay, if the order is for WeChat Pay.
  package var weChatPayOrder: WeChatPayOrder?

  /// The facts of a delivery that the rules need.
  package struct DeliveryFact: Hashable, Sendable {
    package let kind: Delivery.Kind
    package let sequence: Int

    package init(kind: Delivery.Kind, sequence: Int) {
      self.kind = kind
      self.sequence = sequence
    }
  }

  /// The rows of a payment; the other rows are set afterwards.
  package init(payment: Payment) {
    self.payment = payment
    self.changes = []
    self.postings = []
    self.formerUsers = []
  }
}

extension PaymentRows {
  /// The rules that these rows break; empty if all hold.
  package var violations: [Violation] {
    var found: [Violation] = []
    checkGrant(&found)
    checkPairing(&found)
    checkCharge(&found)
    checkOwner(&found)
    checkRefunds(&found)
    checkEnvironments(&found)
    checkPostings(&found)
    checkDeliveries(&found)
    return found
  }

  private func report(_ invariant: Invariant, _ text: String, found: inout [Violation]) {
    found.append(
      Violation(invariant, payment: payment.key, order: order?.key, found: text))
  }

  private func checkGrant(_ found: inout [Violation]) {
    guard let grant else {
      if payment.state.wasGranted { report(.grantHasPayment, "granted, but has no grant", found: &found) }
      return
    }
    guard payment.state.wasGranted || payment.state == .imported else {
      return report(.grantHasPayment, "a grant for a payment that is \(payment.state.name)", found: &found)
    }
    guard grant.payment == payment.key else {
      return report(.grantHasPayment, "the grant is another payment's", found: &found)
    }
    checkPromise(of: grant) { report(.grantHasPayment, $0, found: &found) }
  }

  private func checkPairing(_ found: inout [Violation]) {
    guard let named = payment.order else { return }
    guard let order else {
      return report(.onePaymentOneOrderOneGrant, "its order does not exist", found: &found)
    }
    if order.key.id != named {
      report(.onePaymentOneOrderOneGrant, "its order is another", found: &found)
    }
    if order.state.payment != payment.key {
      report(.onePaymentOneOrderOneGrant, "its order is not paid by it", found: &found)
    }
    if order.derivation == nil && order.quantity != payment.facts.quantity {
      report(.grantHasPayment, "its order is for another quantity", found: &found)
    }
  }

  /// Every fact of a granted charge must be what its order expects.
  private func checkCharge(_ found: inout [Violation]) {
    guard payment.key.store == .weChatPay, payment.state.wasGranted, payment.order != nil else { return }
    guard let expected = weChatPayOrder?.expectedCharge else {
      return report(.grantHasPayment, "its order was never promised to WeChat Pay", found: &found)
    }
    let facts = payment.facts
    let (milliunits, overflow) = expected.amount.minorUnits.multipliedReportingOverflow(by: 10)
    if overflow || facts.price != StatedPrice(milliunits: milliunits, currency: expected.amount.currency.code) {
      report(.grantHasPayment, "the charge is not what its order costs", found: &found)
    }
    if facts.merchant != expected.merchant || facts.storeApp != expected.storeApp {
      report(.grantHasPayment, "the charge was paid to another merchant or in another app", found: &found)
    }
  }

  private func checkOwner(_ found: inout [Violation]) {
    // Units never move; a restore may move an entitlement.
    if let grant, grant.user != payment.owner, !changes.contains(where: { $0.kind == .transfer }) {
      report(.grantGoesToItsOwner, "granted to a user who is not its owner", found: &found)
    }
    if let order, payment.order != nil, order.user != payment.owner {
      report(.grantGoesToItsOwner, "its owner is not the order's user", found: &found)
    }
  }

  private func checkRefunds(_ found: inout [Violation]) {
    let names = changes.map { "\($0.kind.rawValue):\($0.cause)" }
    if Set(names).count != names.count {
      report(.refundTakesAtMostTheGrant, "one refund took effect twice", found: &found)
    }
    let net = changes.reduce(Int64(0)) { net, change in
      switch change.kind {
      case .reversal: net + change.amount
      case .reinstatement: net - change.amount
      case .transfer: net
      }
    }
    guard let grant else {
      if net != 0 { report(.refundTakesAtMostTheGrant, "a refund without a grant", found: &found) }
      return
    }
    if net != grant.takenBack || !(0...grant.parts).contains(grant.takenBack) {
      report(
        .refundTakesAtMostTheGrant,
        "taken back \(grant.takenBack) of \(grant.parts), refunds say \(net)", found: &found)
    }
  }

  private func checkEnvironments(_ found: inout [Violation]) {
    let appEnvironment = payment.key.appEnvironment
    if let order, order.key.appEnvironment != appEnvironment {
      report(.environmentsNeverMix, "its order belongs to another app or environment", found: &found)
    }
    if postings.contains(where: { $0.appEnvironment != appEnvironment }) {
      report(.environmentsNeverMix, "a posting belongs to another app or environment", found: &found)
    }
  }

  /// Each grant of units and each refund of units is one posting with the same amount and user. The only other
  /// postings are write-offs of a debt policy, never more than is taken back.
  private func checkPostings(_ found: inout [Violation]) {
    var expected: [String: Int64] = [:]
    if let grant, case .units(_, let amount) = grant.content, payment.state.wasGranted {
      expected["grant"] = amount
      for change in changes { expected["\(change.kind.rawValue):\(change.cause)"] = change.amount }
    }
    var actual: [String: Int64] = [:]
    var writtenOff: Int64 = 0
    for posting in postings {
      if posting.writtenOff == 0 { actual[posting.cause, default: 0] += posting.amount }
      writtenOff += posting.writtenOff
      if posting.balanceChanges.contains(where: { $0.user != grant?.user && !formerUsers.contains($0.user) }) {
        report(.grantGoesToItsOwner, "a posting moves another user's balance", found: &found)
      }
    }
    if actual != expected {
      report(.onePaymentOneOrderOneGrant, "postings do not add up to grant and refunds", found: &found)
    }
    let isClamped = grant?.debt == .clamp
    if !(0...(isClamped ? grant?.takenBack ?? 0 : 0)).contains(writtenOff) {
      report(.refundTakesAtMostTheGrant, "\(writtenOff) written off of what is taken back", found: &found)
    }
  }

  private func checkDeliveries(_ found: inout [Violation]) {
    guard let deliveries else { return }
    var expected: [Delivery.Kind: Int] = [:]
    if payment.state.wasGranted {
      expected[.created] = 1
      for change in changes {
        switch change.kind {
        case .reversal: expected[.reversed, default: 0] += 1
        case .reinstatement: expected[.reinstated, default: 0] += 1
        case .transfer:
          expected[.reversed, default: 0] += 1
          expected[.created, default: 0] += 1
        }
      }
    }
    var actual: [Delivery.Kind: Int] = [:]
    for delivery in deliveries { actual[delivery.kind, default: 0] += 1 }
    if actual != expected {
      report(.atRestNothingIsLost, "deliveries do not tell every grant and refund once", found: &found)
    }
    if deliveries.map(\.sequence).sorted() != Array(1..<deliveries.count + 1) {
      report(.atRestNothingIsLost, "deliveries are not numbered from 1 without a gap", found: &found)
    }
  }
}

extension Invariant {
  /// The rules for a change between two states of one payment: signed dates only grow, and a granted payment keeps its
  /// owner.
  package static func violations(from before: Payment, to after: Payment) -> [Violation] {
    var found: [Violation] = []
    if after.facts.signedDate < before.facts.signedDate {
      found.append(
        Violation(.stateMovesForward, payment: after.key, found: "older news overwrote newer"))
    }
    if before.state.wasGranted && (!after.state.wasGranted || before.owner != after.owner) {
      found.append(
        Violation(.grantGoesToItsOwner, payment: after.key, found: "a grant changed hands"))
    }
    return found
  }
}
