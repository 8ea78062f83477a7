public import PaymentVocabulary

/// A movement of one balance that no payment caused: what the app's backend books as spent, or a debt that an operator
/// writes off. It is written once, together with its posting, and nothing changes it.
public struct Booking: Hashable, Sendable {
  /// What is booked.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Units that the user spent.
    case debit
    /// What was missing to zero, given up by an operator.
    case debtWrittenOff
  }

  /// The app and environment.
  public let realm: Realm
  /// The caller's own id of it: unique in the realm, for ever.
  public let key: String
  /// Whose balance.
  public let user: UserIdentifier
  /// Of what.
  public let unit: UnitName
  /// What it is.
  public let kind: Kind
  /// Units, more than 0.
  public let amount: Int64
  /// A digest of what was asked under the key: the same key with another request is refused.
  public let requestDigest: String
  /// Why, in the caller's words.
  public var reason: String?
  /// The caller's own data, as canonical JSON text.
  public var metadata: String?
  /// When.
  public let at: Timestamp

  /// A booking without a reason.
  public init(
    realm: Realm, key: String, user: UserIdentifier, unit: UnitName, kind: Kind, amount: Int64, requestDigest: String,
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

  /// The movement that it is.
  public var posting: Posting {
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
public struct LedgerEntry: Hashable, Sendable {
  /// Its number in the ledger; later ones have greater numbers.
  public let number: Int64
  /// The movement.
  public let posting: Posting
  /// The booking that it belongs to, where no payment caused it.
  public let booking: Booking?

  /// A listed posting.
  public init(number: Int64, posting: Posting, booking: Booking?) {
    self.number = number
    self.posting = posting
    self.booking = booking
  }
}

/// Both sides of the ledger of a unit in a realm: what users have, by their balances, and what stands on all other
/// accounts, by the postings. Together they are zero.
public struct LedgerSum: Hashable, Sendable {
  /// The app and environment.
  public let realm: Realm
  /// What is counted.
  public let unit: UnitName
  /// The sum of all balances, modulo 2⁶⁴.
  public var balances: Int64
  /// What the accounts that are no user's received less what they gave, modulo 2⁶⁴.
  public var otherAccounts: Int64

  /// Both sides.
  public init(realm: Realm, unit: UnitName, balances: Int64, otherAccounts: Int64) {
    self.realm = realm
    self.unit = unit
    self.balances = balances
    self.otherAccounts = otherAccounts
  }

  /// Whether nothing was made or lost between the accounts.
  public var isEven: Bool { balances &+ otherAccounts == 0 }
}

/// How much of what a user bought was refunded.
public struct RefundRatio: Hashable, Sendable {
  /// Payments that were granted to him.
  public let granted: Int
  /// Of those, the ones of which something is taken back at present.
  public let refunded: Int
  /// Of those, the ones of which nothing is left.
  public let refundedWholly: Int

  /// A ratio.
  public init(granted: Int, refunded: Int, refundedWholly: Int) {
    self.granted = granted
    self.refunded = refunded
    self.refundedWholly = refundedWholly
  }

  /// Refunded ones in a thousand; 0 where nothing was bought.
  public var permille: Int { granted == 0 ? 0 : refunded * 1000 / granted }
}
