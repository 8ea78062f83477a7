package import PaymentModel
package import PaymentPrimitives

/// The writes about payments: what the store said, whose they are, and what waits.
package enum PaymentWrite: Hashable, Sendable {
  case insert(Payment)
  case update(Payment)
  case insertDuplicate(DuplicateTransaction)
  case updateDuplicate(DuplicateTransaction)
  case removeDuplicate(PaymentKey)
  case insertEvidence(Evidence)
  case putStoppedChange(StoppedChange)
  case removeStoppedChange(StoppedChange)
  case insertKeptClaim(KeptClaim)
  case putSubscription(Subscription)
  case share(PaymentKey, with: UserIdentifier, at: Timestamp)
  case noteUser(UserIdentifier, appTransaction: String, AppEnvironment)
  case noteClaim(by: UserIdentifier, PaymentKey, at: Timestamp)
  case noteEarlierDeliveries([TransactionIdentifier], Store, AppEnvironment)
  case setEarlierListReach(Timestamp?, Store, AppEnvironment)
  case insertImportedOwner(ImportedOwner)

  func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .insert(let payment): try transaction.insert(payment)
    case .update(let payment): try transaction.update(payment)
    case .insertDuplicate(let duplicate): try transaction.insert(duplicate)
    case .updateDuplicate(let duplicate): try transaction.update(duplicate)
    case .removeDuplicate(let key): try transaction.removeDuplicate(key)
    case .insertEvidence(let evidence): try transaction.insert(evidence)
    case .putStoppedChange(let stopped): try transaction.put(stopped)
    case .removeStoppedChange(let stopped): try transaction.remove(stopped)
    case .insertKeptClaim(let claim): try transaction.insert(claim)
    case .putSubscription(let subscription): try transaction.put(subscription)
    case .share(let original, let user, let moment): try transaction.share(original, with: user, at: moment)
    case .noteUser(let user, let identifier, let appEnvironment):
      try transaction.noteUser(user, ofAppTransaction: identifier, in: appEnvironment)
    case .noteClaim(let user, let payment, let moment): try transaction.noteClaim(by: user, of: payment, at: moment)
    case .noteEarlierDeliveries(let transactions, let store, let appEnvironment):
      try transaction.noteEarlierDeliveries(transactions, at: store, in: appEnvironment)
    case .setEarlierListReach(let reach, let store, let appEnvironment):
      try transaction.setEarlierListReach(reach, at: store, in: appEnvironment)
    case .insertImportedOwner(let owner): try transaction.insert(owner)
    }
  }

  func addKeys(to keys: inout LockKeys) {
    switch self {
    case .insert(let payment), .update(let payment): Self.addKeys(of: payment, to: &keys)
    case .insertDuplicate(let duplicate), .updateDuplicate(let duplicate):
      keys.insert(.payment(duplicate.key))
      keys.insert(.original(duplicate.original))
    // A later read of the subscription's duplicates records each of them.
    case .removeDuplicate(let key): keys.insert(.payment(key))
    case .insertEvidence(let evidence): keys.insert(.payment(evidence.payment))
    case .putStoppedChange(let stopped), .removeStoppedChange(let stopped): Self.addKeys(of: stopped, to: &keys)
    case .insertKeptClaim(let claim): keys.insert(.payment(claim.payment))
    case .putSubscription(let subscription): keys.insert(.original(subscription.key))
    case .share(let original, let user, _):
      keys.insert(.original(original))
      keys.insert(.user(user, original.appEnvironment))
    case .noteUser(_, let identifier, let appEnvironment): keys.insert(.appTransaction(identifier, appEnvironment))
    case .noteClaim(let user, let payment, _): keys.insert(.user(user, payment.appEnvironment))
    case .noteEarlierDeliveries(_, let store, let appEnvironment),
      .setEarlierListReach(_, let store, let appEnvironment):
      keys.insert(.earlierList(store, appEnvironment))
    case .insertImportedOwner(let owner): keys.insert(.payment(owner.transaction))
    }
  }

  private static func addKeys(of payment: Payment, to keys: inout LockKeys) {
    let appEnvironment = payment.key.appEnvironment
    keys.insert(.payment(payment.key))
    keys.insert(.original(payment.facts.originalKey))
    if let order = payment.order { keys.insert(.order(OrderKey(appEnvironment: appEnvironment, id: order))) }
    if let owner = payment.owner { keys.insert(.user(owner, appEnvironment)) }
  }

  private static func addKeys(of stopped: StoppedChange, to keys: inout LockKeys) {
    keys.insert(.payment(stopped.payment))
    for order in stopped.orders {
      keys.insert(.order(OrderKey(appEnvironment: stopped.payment.appEnvironment, id: order)))
    }
  }
}
