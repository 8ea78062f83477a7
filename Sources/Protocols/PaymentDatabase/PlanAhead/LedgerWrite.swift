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
    }
  }

  var keys: [LockKey] {
    switch self {
    case .insertGrant(let grant): Self.keys(of: grant, users: [grant.user])
    case .updateGrant(let grant, let formerUser): Self.keys(of: grant, users: [grant.user, formerUser ?? grant.user])
    case .insertChange(let change): [.payment(change.payment)]
    case .insertPosting(let posting): Self.keys(of: posting)
    case .insertBooking(let booking):
      [
        .booking(booking.key, booking.appEnvironment), .bookings(booking.appEnvironment),
        .user(booking.user, booking.appEnvironment),
      ]
    case .freezeBalance(let user, _, let appEnvironment): [.user(user, appEnvironment)]
    case .putConsent(let consent): [.user(consent.user, consent.appEnvironment)]
    }
  }

  private static func keys(of grant: Grant, users: [UserIdentifier]) -> [LockKey] {
    [.payment(grant.payment)] + users.map { .user($0, grant.payment.appEnvironment) }
  }

  private static func keys(of posting: Posting) -> [LockKey] {
    var keys: [LockKey] = []
    if case .payment(let payment, _) = posting.source { keys.append(.payment(payment)) }
    for account in [posting.debit, posting.credit] {
      if case .user(let user) = account { keys.append(.user(user, posting.appEnvironment)) }
    }
    return keys
  }
}
