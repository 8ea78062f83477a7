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
  /// The payment that it comes from.
  public let payment: PaymentKey
  /// What of the payment: `grant`, or a change's kind and cause. (payment, cause) is unique.
  public let cause: String
  /// When.
  public let at: Timestamp

  /// A movement of `amount` units from one account to another.
  public init(
    realm: Realm, unit: UnitName, debit: LedgerAccount, credit: LedgerAccount, amount: Int64,
    payment: PaymentKey, cause: String, at: Timestamp
  ) {
    self.realm = realm
    self.unit = unit
    self.debit = debit
    self.credit = credit
    self.amount = amount
    self.payment = payment
    self.cause = cause
    self.at = at
  }

  /// The user whose balance it changes, and by how much.
  public var balanceChanges: [(user: UserIdentifier, amount: Int64)] {
    var changes: [(UserIdentifier, Int64)] = []
    if case .user(let user) = debit { changes.append((user, -amount)) }
    if case .user(let user) = credit { changes.append((user, amount)) }
    return changes
  }
}

/// A side of a posting.
public enum LedgerAccount: Hashable, Sendable {
  /// What a user has.
  case user(UserIdentifier)
  /// What a store's payments brought into the world.
  case issued(Store)

  /// The account as text, for the database: `user:alice`, `issued:appStore`.
  public var text: String {
    switch self {
    case .user(let user): "user:" + user.text
    case .issued(let store): "issued:" + store.rawValue
    }
  }

  /// Reads the text form; nil for anything else.
  public init?(text: String) {
    if text.hasPrefix("user:") {
      self = .user(UserIdentifier(String(text.dropFirst(5))))
    } else if text.hasPrefix("issued:"), let store = Store(rawValue: String(text.dropFirst(7))) {
      self = .issued(store)
    } else {
      return nil
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

  /// A balance.
  public init(realm: Realm, user: UserIdentifier, unit: UnitName, amount: Int64) {
    self.realm = realm
    self.user = user
    self.unit = unit
    self.amount = amount
  }
}
