package import PaymentPrimitives

/// One movement of units, written once and never changed. One account gets what the other gives, so the sum over all
/// accounts of a unit is always zero.
package struct Posting: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  package let unit: UnitName
  package let debit: LedgerAccount
  package let credit: LedgerAccount
  /// Units moved, more than 0.
  package let amount: Int64
  /// Its origin; each source has one posting.
  package let source: Source
  package let at: Timestamp

  package enum Source: Hashable, Sendable {
    /// An event of a payment: `grant`, the kind and cause of a change (`reversal:…`), or a write-off.
    case payment(PaymentKey, cause: String)
    /// What the app's backend or an operator booked under that key (`Booking`).
    case booking(key: String, Booking.Kind)
  }

  /// A movement of `amount` units from one account to another.
  package init(
    appEnvironment: AppEnvironment, unit: UnitName, debit: LedgerAccount, credit: LedgerAccount, amount: Int64,
    source: Source, at: Timestamp
  ) {
    self.appEnvironment = appEnvironment
    self.unit = unit
    self.debit = debit
    self.credit = credit
    self.amount = amount
    self.source = source
    self.at = at
  }

  /// A movement that a payment caused.
  package init(
    appEnvironment: AppEnvironment, unit: UnitName, debit: LedgerAccount, credit: LedgerAccount, amount: Int64,
    payment: PaymentKey, cause: String, at: Timestamp
  ) {
    self.init(
      appEnvironment: appEnvironment, unit: unit, debit: debit, credit: credit, amount: amount,
      source: .payment(payment, cause: cause), at: at)
  }

  /// Which part of its payment or booking it is, as text.
  package var cause: String {
    switch source {
    case .payment(_, let cause): cause
    case .booking(_, let kind): kind.rawValue
    }
  }

  /// The users with a changed balance, and by how much.
  package var balanceChanges: [(user: UserIdentifier, amount: Int64)] {
    var changes: [(UserIdentifier, Int64)] = []
    if case .user(let user) = debit { changes.append((user, -amount)) }
    if case .user(let user) = credit { changes.append((user, amount)) }
    return changes
  }
}

/// One side of a posting. Only a user's account has a row with a balance, and only this user's movements touch that
/// row. The other accounts exist only as postings, so two users never wait for each other.
package enum LedgerAccount: Hashable, Sendable {
  /// The user's own balance.
  case user(UserIdentifier)
  /// What a store's payments created, minus what its refunds removed.
  case issued(Store)
  case spent
  /// What the app's backend gave without a payment.
  case credited
  /// What a store took back and the user no longer had.
  case writtenOff
  /// Between two users who are merged; always zero after a commit.
  case merged

  /// The account as text: `user:alice`, `issued:appStore`, `spent`, `credited`, `writtenOff`, `merged`.
  package var text: String {
    switch self {
    case .user(let user): "user:" + user.text
    case .issued(let store): "issued:" + store.rawValue
    case .spent: "spent"
    case .credited: "credited"
    case .writtenOff: "writtenOff"
    case .merged: "merged"
    }
  }

  /// Reads the text form of an account that is not a user's; nil for any other text.
  package init?(named text: String) {
    switch text {
    case "spent": self = .spent
    case "credited": self = .credited
    case "writtenOff": self = .writtenOff
    case "merged": self = .merged
    default:
      guard text.hasPrefix("issued:"), let store = Store(rawValue: String(text.dropFirst(7))) else { return nil }
      self = .issued(store)
    }
  }
}

/// How many units a user has: the sum of the postings on their account. It may be negative after a refund of spent
/// units.
package struct Balance: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  package let user: UserIdentifier
  package let unit: UnitName
  package var amount: Int64
  /// Since when the user cannot spend from it, because a refund took more than there was (`DebtPolicy.freeze`). It
  /// ends with the posting that brings the balance back to zero or above.
  package var frozenSince: Timestamp?

  package init(
    appEnvironment: AppEnvironment, user: UserIdentifier, unit: UnitName, amount: Int64, frozenSince: Timestamp? = nil
  ) {
    self.appEnvironment = appEnvironment
    self.user = user
    self.unit = unit
    self.amount = amount
    self.frozenSince = frozenSince
  }
}
