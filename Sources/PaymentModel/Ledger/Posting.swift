public import PaymentVocabulary

/// One movement of units, written once and never changed: it takes from one account what it gives to the other, so the
/// sum over all accounts of a unit is always zero.
public struct Posting: Hashable, Sendable {
  /// The app and environment.
  public let realm: Realm
  /// What is counted.
  public let unit: UnitName
  /// The account that gives.
  public let debit: LedgerAccount
  /// The account that receives.
  public let credit: LedgerAccount
  /// Units moved, more than 0.
  public let amount: Int64
  /// Where it comes from; there is one posting of each source.
  public let source: Source
  /// When.
  public let at: Timestamp

  /// What caused a movement.
  public enum Source: Hashable, Sendable {
    /// Something of a payment: `grant`, a change's kind and cause (`reversal:…`), or what was written off for one.
    case payment(PaymentKey, cause: String)
    /// What the app's backend or an operator booked under that key (`Booking`).
    case booking(key: String, Booking.Kind)
  }

  /// A movement of `amount` units from one account to another.
  public init(
    realm: Realm, unit: UnitName, debit: LedgerAccount, credit: LedgerAccount, amount: Int64,
    source: Source, at: Timestamp
  ) {
    self.realm = realm
    self.unit = unit
    self.debit = debit
    self.credit = credit
    self.amount = amount
    self.source = source
    self.at = at
  }

  /// A movement that a payment caused.
  public init(
    realm: Realm, unit: UnitName, debit: LedgerAccount, credit: LedgerAccount, amount: Int64,
    payment: PaymentKey, cause: String, at: Timestamp
  ) {
    self.init(
      realm: realm, unit: unit, debit: debit, credit: credit, amount: amount,
      source: .payment(payment, cause: cause), at: at)
  }

  /// What of its payment or booking it is, as text.
  public var cause: String {
    switch source {
    case .payment(_, let cause): cause
    case .booking(_, let kind): kind.rawValue
    }
  }

  /// The user whose balance it changes, and by how much.
  public var balanceChanges: [(user: UserIdentifier, amount: Int64)] {
    var changes: [(UserIdentifier, Int64)] = []
    if case .user(let user) = debit { changes.append((user, -amount)) }
    if case .user(let user) = credit { changes.append((user, amount)) }
    return changes
  }
}

/// A side of a posting. Only a user's account has a row with a balance, and nobody else's movements touch that row: the
/// other accounts are known by their postings alone, so no two users ever wait for each other.
public enum LedgerAccount: Hashable, Sendable {
  /// What a user has: his wallet.
  case user(UserIdentifier)
  /// What a store's payments brought into the world, less what its refunds took out of it.
  case issued(Store)
  /// What users have spent.
  case spent
  /// What was taken back by a store and could not be had from the user any more.
  case writtenOff

  /// The account as text: `user:alice`, `issued:appStore`, `spent`, `writtenOff`.
  public var text: String {
    switch self {
    case .user(let user): "user:" + user.text
    case .issued(let store): "issued:" + store.rawValue
    case .spent: "spent"
    case .writtenOff: "writtenOff"
    }
  }

  /// Reads the text form of an account that is not a user's; nil for anything else.
  public init?(named text: String) {
    switch text {
    case "spent": self = .spent
    case "writtenOff": self = .writtenOff
    default:
      guard text.hasPrefix("issued:"), let store = Store(rawValue: String(text.dropFirst(7))) else { return nil }
      self = .issued(store)
    }
  }
}

/// How many units a user has: the sum of the postings on his account. It may be negative after a refund of what was
/// spent.
public struct Balance: Hashable, Sendable {
  /// The app and environment.
  public let realm: Realm
  /// Whose.
  public let user: UserIdentifier
  /// Of what.
  public let unit: UnitName
  /// How many.
  public var amount: Int64
  /// Since when nothing may be spent of it, because a refund took more than there was (`DebtPolicy.freeze`). It ends
  /// with the posting that brings the balance back to zero or above.
  public var frozenSince: Timestamp?

  /// A balance.
  public init(realm: Realm, user: UserIdentifier, unit: UnitName, amount: Int64, frozenSince: Timestamp? = nil) {
    self.realm = realm
    self.user = user
    self.unit = unit
    self.amount = amount
    self.frozenSince = frozenSince
  }
}
