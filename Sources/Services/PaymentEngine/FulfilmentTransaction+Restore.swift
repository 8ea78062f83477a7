import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import StrictJSON

extension FulfilmentTransaction {
  /// The most users that can share an entitlement: one Apple account is one person or one family.
  static let sharesMax = 10
  /// How long an entitlement stays with its new user after a restore.
  static let transferPause = TimeSpan.days(1)

  /// Applies the app's restore policy when a user presents an entitlement of another user. Units never move, and
  /// neither does anything that is not shown to come from the buyer's device. A queue presents unfinished
  /// transactions to the next user who signs in. That alone is no restore; the user must have asked for it. The first
  /// update of a purchase goes to its order.
  func restore(_ result: inout FulfilmentResult) throws {
    guard context.app.restore != .keepOwner, result.payment.state.wasGranted, result.payment.key.store == .appStore,
      let grant = try transaction.grant(result.payment.key), case .entitlement = grant.content
    else { return }
    result.holder = grant.user
    guard let claim = news.claim, claim.user != grant.user, grant.isInForce, mayRestore(claim),
      claim.isRestore, !result.changed
    else { return }
    switch context.app.restore {
    case .keepOwner: return
    case .share: try share(&result, with: claim.user)
    case .transfer: try move(grant, of: result.payment, to: claim.user, &result)
    }
  }

  private func mayRestore(_ claim: PaymentUpdate.Claim) -> Bool {
    switch claim.proof {
    case .fits: true
    case .missing: !context.app.claims.isStrict
    case .differs, .notDeviceEvidence: false
    }
  }

  private func share(_ result: inout FulfilmentResult, with user: UserIdentifier) throws {
    let original = result.payment.facts.line
    if try transaction.sharedRights(of: user, in: original.appEnvironment).contains(original) {
      result.isShared = true
      return
    }
    guard try transaction.countOfShares(of: original) < Self.sharesMax else { return }
    try transaction.share(original, with: user, at: transaction.now)
    try journal("right.shared", result.payment, details: ["user": .string(user.text)])
    result.isShared = true
  }

  /// Moves the entitlement to another user, with one reversal and one grant for the backend; at most once a day.
  private func move(
    _ grant: Grant, of payment: Payment, to user: UserIdentifier, _ result: inout FulfilmentResult
  ) throws {
    let now = transaction.now
    var line = payment.facts.kind == .autoRenewable ? try transaction.line(payment.facts.line) : nil
    let last = try transaction.changes(of: payment.key).filter { $0.kind == .transfer }.map(\.at).max()
    guard [last, line?.transfer?.at].compactMap(\.self).allSatisfy({ $0 + Self.transferPause <= now }) else { return }
    var moving = [(payment, grant)]
    if line != nil {
      line?.transfer = Subscription.Transfer(to: user, at: now)
      if let line { try transaction.put(line) }
      for sibling in try transaction.payments(ofOriginal: payment.facts.line) where sibling.key != payment.key {
        guard sibling.state.wasGranted, let its = try transaction.grant(sibling.key), its.user == grant.user,
          its.isInForce, case .entitlement(_, _, let until) = its.content, until.map({ $0 > now }) ?? true
        else { continue }
        moving.append((sibling, its))
      }
    }
    for (payment, grant) in moving {
      let moved = try write(grant, of: payment, to: user, at: now)
      if moved.key == result.payment.key { result.payment = moved }
    }
    result.holder = user
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
          sequence: payment.lastSequence, of: payment, grant, order, at: now))
    }
    try transaction.update(payment)
    try journal(
      "right.moved", payment, details: ["from": .string(before.user.text), "to": .string(user.text)])
    return payment
  }
}
