package import PaymentModel
package import PaymentPrimitives

/// The writes about grants, postings, balances and what users were given.
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
  case insertPromotional(PromotionalEntitlement)
  /// With the user who had it before.
  case updatePromotional(PromotionalEntitlement, formerUser: UserIdentifier?)

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
    case .insertPromotional(let promotional): try transaction.insert(promotional)
    case .updatePromotional(let promotional, _): try transaction.update(promotional)
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
    case .insertMerge(let merge): keys.insert(.merge(of: merge.user, merge.appEnvironment))
    case .putLimit(let limit): keys.insert(.user(limit.user, limit.appEnvironment))
    case .insertPromotional(let promotional): Self.addKeys(of: promotional, to: &keys)
    case .updatePromotional(let promotional, let formerUser):
      Self.addKeys(of: promotional, to: &keys)
      if let formerUser { keys.insert(.user(formerUser, promotional.appEnvironment)) }
    }
  }

  private static func addKeys(of promotional: PromotionalEntitlement, to keys: inout LockKeys) {
    keys.insert(.promotionalEntitlement(promotional.key, promotional.appEnvironment))
    keys.insert(.user(promotional.user, promotional.appEnvironment))
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
