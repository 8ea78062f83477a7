import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Applies the app's restore policy when a user presents an entitlement of another user.
struct EntitlementRestore {
  let transaction: any DatabaseTransaction
  let app: AppPolicy
  let claim: OwnershipClaim?

  /// Restores the entitlement of a fulfilled payment. The first update of a purchase goes to its order.
  func run(_ result: inout FulfilmentResult) throws {
    guard app.restore != .keepOwner, let grant = try transaction.grant(result.payment.key),
      app.restore.applies(to: grant, of: result.payment)
    else { return }
    result.beneficiary = grant.user
    guard !result.changed, let claim, RestorePolicy.isRestored(grant, by: claim, app.claims) else { return }
    switch app.restore {
    case .keepOwner: return
    case .share: try share(&result, with: claim.user)
    case .transfer: try move(grant, to: claim.user, &result)
    }
  }

  private func share(_ result: inout FulfilmentResult, with user: UserIdentifier) throws {
    let original = result.payment.facts.originalKey
    if try transaction.sharedEntitlements(of: user, in: original.appEnvironment).contains(original) {
      result.isShared = true
      return
    }
    guard try transaction.countOfShares(of: original) < RestorePolicy.sharesMax else { return }
    try transaction.share(original, with: user, at: transaction.now)
    try transaction.journal(.entitlementShared, result.payment, details: ["user": .string(user.text)])
    result.isShared = true
  }

  /// Moves the entitlement to another user, with one reversal and one grant for the backend; at most once a day.
  private func move(_ grant: Grant, to user: UserIdentifier, _ result: inout FulfilmentResult) throws {
    let payment = result.payment
    let now = transaction.now
    var subscription =
      payment.facts.kind == .autoRenewable ? try transaction.subscription(payment.facts.originalKey) : nil
    let moves = try transaction.changes(of: payment.key).filter { $0.kind == .transfer }.map(\.at)
    guard RestorePolicy.mayMove(after: moves + [subscription?.transfer?.at].compactMap(\.self), now: now) else {
      return
    }
    var moving = [(payment, grant)]
    if subscription != nil {
      subscription?.transfer = Subscription.Transfer(to: user, at: now)
      if let subscription { try transaction.put(subscription) }
      for period in try transaction.payments(ofOriginal: payment.facts.originalKey)
      where period.key != payment.key && period.state.wasGranted {
        guard let its = try transaction.grant(period.key), RestorePolicy.moves(its, withThatOf: grant.user, now: now)
        else { continue }
        moving.append((period, its))
      }
    }
    for (payment, grant) in moving {
      let moved = try write(grant, of: payment, to: user, at: now)
      if moved.key == result.payment.key { result.payment = moved }
    }
    result.beneficiary = user
    result.changed = true
  }

  private func write(_ before: Grant, of payment: Payment, to user: UserIdentifier, at now: Timestamp) throws -> Payment
  {
    var (payment, grant) = (payment, before)
    grant.user = user
    let cause = "restore:\(now.milliseconds)"
    try transaction.update(grant)
    try transaction.insert(
      GrantChange(payment: payment.key, kind: .transfer, cause: cause, amount: grant.parts, at: now))
    let order = try payment.order.flatMap {
      try transaction.order(OrderKey(appEnvironment: payment.key.appEnvironment, id: $0))
    }
    for (kind, grant) in [(Delivery.Kind.reversed, before), (.created, grant)] {
      payment.lastSequence += 1
      try transaction.insert(
        DeliveryMaking.delivery(
          .init(
            kind: kind, cause: cause, amount: grant.parts,
            takenBack: kind == .reversed ? grant.parts : grant.takenBack),
          sequence: payment.lastSequence, of: payment, grant, order: order, at: now))
    }
    try transaction.update(payment)
    try transaction.journal(
      .entitlementMoved, payment, details: ["from": .string(before.user.text), "to": .string(user.text)])
    return payment
  }
}
