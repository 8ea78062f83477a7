package import PaymentPrimitives

/// A movement of one balance that no payment caused: what the app's backend books as spent, or a debt that an operator
/// writes off. It is written once, together with its posting, and nothing changes it.
package struct Booking: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case debit
    /// What was missing to zero, given up by an operator.
    case debtWrittenOff
  }

  package let realm: AppEnvironment
  /// The caller's own id of it: unique in the realm, for ever.
  package let key: String
  package let user: UserIdentifier
  package let unit: UnitName
  package let kind: Kind
  /// Units, more than 0.
  package let amount: Int64
  /// A digest of what was asked under the key: the same key with another request is refused.
  package let requestDigest: String
  package var reason: String?
  /// The caller's own data, as canonical JSON text.
  package var metadata: String?
  package let at: Timestamp

  package init(
    realm: AppEnvironment, key: String, user: UserIdentifier, unit: UnitName, kind: Kind, amount: Int64,
    requestDigest: String,
    at: Timestamp
  ) {
    self.realm = realm
    self.key = key
    self.user = user
    self.unit = unit
    self.kind = kind
    self.amount = amount
    self.requestDigest = requestDigest
    self.at = at
  }

  package var posting: Posting {
    let accounts: (debit: LedgerAccount, credit: LedgerAccount) =
      switch kind {
      case .debit: (.user(user), .spent)
      case .debtWrittenOff: (.writtenOff, .user(user))
      }
    return Posting(
      realm: realm, unit: unit, debit: accounts.debit, credit: accounts.credit, amount: amount,
      source: .booking(key: key, kind), at: at)
  }
}

/// A posting on a user's balance as it is listed.
package struct LedgerEntry: Hashable, Sendable {
  /// Its number in the ledger; later ones have greater numbers.
  package let number: Int64
  package let posting: Posting
  /// The booking that it belongs to, where no payment caused it.
  package let booking: Booking?

  package init(number: Int64, posting: Posting, booking: Booking?) {
    self.number = number
    self.posting = posting
    self.booking = booking
  }
}

/// Both sides of the ledger of a unit in a realm: what users have, by their balances, and what stands on all other
/// accounts, by the postings. Together they are zero.
package struct LedgerSum: Hashable, Sendable {
  package let realm: AppEnvironment
  package let unit: UnitName
  /// The sum of all balances, modulo 2⁶⁴.
  package var balances: Int64
  /// What the accounts that are no user's received less what they gave, modulo 2⁶⁴.
  package var otherAccounts: Int64

  package init(realm: AppEnvironment, unit: UnitName, balances: Int64, otherAccounts: Int64) {
    self.realm = realm
    self.unit = unit
    self.balances = balances
    self.otherAccounts = otherAccounts
  }

  /// Whether nothing was made or lost between the accounts.
  package var isEven: Bool { balances &+ otherAccounts == 0 }
}

/// How much of what a user bought was refunded.
package struct RefundRatio: Hashable, Sendable {
  /// Payments that were granted to him.
  package let granted: Int
  /// Of those, the ones of which something is taken back at present.
  package let refunded: Int
  /// Of those, the ones of which nothing is left.
  package let refundedWholly: Int

  package init(granted: Int, refunded: Int, refundedWholly: Int) {
    self.granted = granted
    self.refunded = refunded
    self.refundedWholly = refundedWholly
  }

  /// Refunded ones in a thousand; 0 where nothing was bought.
  package var permille: Int { granted == 0 ? 0 : refunded * 1000 / granted }
}
