package import PaymentPrimitives

/// A balance movement that no payment caused: spending or a gift that the app's backend books, or a debt that an
/// operator writes off. It is written once, with its posting, and never changes.
package struct Booking: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case debit
    /// Units that the app's backend gave.
    case credit
    /// The amount missing to zero, written off by an operator.
    case debtWrittenOff
    /// What a user had or owed, when two users were merged: it leaves one of them, and reaches the other.
    case mergeOut
    case mergeIn
  }

  package let appEnvironment: AppEnvironment
  /// The caller's own id of the booking: unique in the app environment, for ever.
  package let key: String
  package let user: UserIdentifier
  package let unit: UnitName
  package let kind: Kind
  /// Units, more than 0.
  package let amount: Int64
  /// A digest of the request. A different request with the same key is an error.
  package let requestDigest: String
  package var reason: String?
  /// The caller's own data, as canonical JSON text.
  package var metadata: String?
  package let at: Timestamp

  package init(
    appEnvironment: AppEnvironment, key: String, user: UserIdentifier, unit: UnitName, kind: Kind, amount: Int64,
    requestDigest: String,
    at: Timestamp
  ) {
    self.appEnvironment = appEnvironment
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
      case .credit: (.credited, .user(user))
      case .debtWrittenOff: (.writtenOff, .user(user))
      case .mergeOut: (.user(user), .merged)
      case .mergeIn: (.merged, .user(user))
      }
    return Posting(
      appEnvironment: appEnvironment, unit: unit, debit: accounts.debit, credit: accounts.credit, amount: amount,
      source: .booking(key: key, kind), at: at)
  }
}

/// The credits of a unit in some time, for reports. They are units, never money.
package struct CreditSum: Hashable, Sendable {
  package let unit: UnitName
  /// How many credits.
  package let count: Int
  /// The units of all of them; `Int64.max` if they are more.
  package let amount: Int64

  package init(_ unit: UnitName, count: Int, amount: Int64) {
    self.unit = unit
    self.count = count
    self.amount = amount
  }
}

/// A posting on a user's balance, as listed.
package struct LedgerEntry: Hashable, Sendable {
  /// Its number in the ledger; later entries have greater numbers.
  package let number: Int64
  package let posting: Posting
  /// The booking of the posting; nil if a payment caused it.
  package let booking: Booking?

  package init(number: Int64, posting: Posting, booking: Booking?) {
    self.number = number
    self.posting = posting
    self.booking = booking
  }
}

/// Both sides of the ledger of one unit in an app environment: all user balances, and the postings of all other
/// accounts. Together they are zero.
package struct LedgerSum: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  package let unit: UnitName
  /// The sum of all balances, modulo 2⁶⁴.
  package var balances: Int64
  /// What the other accounts received minus what they gave, modulo 2⁶⁴.
  package var otherAccounts: Int64

  package init(appEnvironment: AppEnvironment, unit: UnitName, balances: Int64, otherAccounts: Int64) {
    self.appEnvironment = appEnvironment
    self.unit = unit
    self.balances = balances
    self.otherAccounts = otherAccounts
  }

  /// Whether both sides add up to zero: no units appeared or vanished between the accounts.
  package var isEven: Bool { balances &+ otherAccounts == 0 }
}

/// How many of a user's purchases were refunded.
package struct RefundRatio: Hashable, Sendable {
  /// Number of payments that were granted to the user.
  package let granted: Int
  /// Number of granted payments that are partly or fully taken back now.
  package let refunded: Int
  /// Number of granted payments that are fully taken back now.
  package let refundedWholly: Int

  package init(granted: Int, refunded: Int, refundedWholly: Int) {
    self.granted = granted
    self.refunded = refunded
    self.refundedWholly = refundedWholly
  }

  /// Refunded payments per thousand; 0 if nothing was bought.
  package var permille: Int { granted == 0 ? 0 : refunded * 1000 / granted }
}
