package import PaymentModel
package import PaymentPrimitives

/// The writes about grants, postings and balances.
package enum LedgerWrite: Hashable, Sendable {
  case insertGrant(Grant)
  /// With the user who had it before.
  case updateGrant(Grant, formerUser: UserIdentifier?)
  case insertChange(GrantChange)
  case insertPosting(Posting)
  case insertBooking(Booking)
  case freezeBalance(UserIdentifier, UnitName, AppEnvironment)
  case putConsent(ConsumptionConsent)
  case insertMerge(UserMerge)
  case putLimit(SpendingLimit)

  func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .insertGrant(let grant): try transaction.insert(grant)
    case .updateGrant(let grant, _): try transaction.update(grant)
    case .insertChange(let change): try transaction.insert(change)
    case .insertPosting(let posting): try transaction.insert(posting)
    case .insertBooking(let booking): try transaction.insert(booking)
    case .freezeBalance(let user, let unit, let appEnvironment):
      try transaction.freezeBalance(of: user, unit: unit, in: appEnvironment)
    case .putConsent(let consent): try transaction.put(consent)
    case .insertMerge(let merge): try transaction.insert(merge)
    case .putLimit(let limit): try transaction.put(limit)
    }
  }

  func addKeys(to keys: inout LockKeys) {
    switch self {
    case .insertGrant(let grant): Self.addKeys(of: grant, to: &keys)
    case .updateGrant(let grant, let formerUser):
      Self.addKeys(of: grant, to: &keys)
      if let formerUser { keys.insert(.user(formerUser, grant.payment.appEnvironment)) }
    case .insertChange(let change): keys.insert(.payment(change.payment))
    case .insertPosting(let posting): Self.addKeys(of: posting, to: &keys)
    case .insertBooking(let booking):
      keys.insert(.booking(booking.key, booking.appEnvironment))
      keys.insert(.bookings(booking.appEnvironment))
      keys.insert(.user(booking.user, booking.appEnvironment))
    case .freezeBalance(let user, _, let appEnvironment): keys.insert(.user(user, appEnvironment))
    case .putConsent(let consent): keys.insert(.user(consent.user, consent.appEnvironment))
    case .insertMerge(let merge): keys.insert(.user(merge.user, merge.appEnvironment))
    case .putLimit(let limit): keys.insert(.user(limit.user, limit.appEnvironment))
    }
  }

  private static func addKeys(of grant: Grant, to keys: inout LockKeys) {
    keys.insert(.payment(grant.payment))
    keys.insert(.user(grant.user, grant.payment.appEnvironment))
  }

  private static func addKeys(of posting: Posting, to keys: inout LockKeys) {
    if case .payment(let payment, _) = posting.source { keys.insert(.payment(payment)) }
    if case .user(let user) = posting.debit { keys.insert(.user(user, posting.appEnvironment)) }
    if case .user(let user) = posting.credit { keys.insert(.user(user, posting.appEnvironment)) }
  }
}
