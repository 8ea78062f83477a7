package import PaymentPrimitives

/// That a user of an app was erased, or is being erased (record 301). Their rows stay for the ledger, under an alias.
package struct UserErasure: Hashable, Sendable {
  package let app: AppIdentifier
  /// What stands for the user: computed from their id with the installation's secret, so it does not tell the id.
  package let alias: UserIdentifier
  /// The user while the erasure is under way; nil afterwards.
  package var user: UserIdentifier?
  package let begunAt: Timestamp
  package var doneAt: Timestamp?
  /// How many orders and payments got the alias.
  package var orders: Int
  package var payments: Int

  package init(app: AppIdentifier, alias: UserIdentifier, user: UserIdentifier?, begunAt: Timestamp) {
    self.app = app
    self.alias = alias
    self.user = user
    self.begunAt = begunAt
    orders = 0
    payments = 0
  }
}

/// How the rows of a user who is erased change.
package struct UserRenaming: Sendable {
  package let appEnvironment: AppEnvironment
  /// The user, and those who were merged into them.
  package let names: [UserIdentifier]
  package let alias: UserIdentifier
  /// A JSON text of a row without what is personal, and with the alias instead of the names.
  package let redacted: @Sendable (String) -> String

  package init(
    appEnvironment: AppEnvironment, names: [UserIdentifier], alias: UserIdentifier,
    redacted: @escaping @Sendable (String) -> String
  ) {
    self.appEnvironment = appEnvironment
    self.names = names
    self.alias = alias
    self.redacted = redacted
  }

  /// The alias for one of the names; any other user stays.
  package func renamed(_ user: UserIdentifier) -> UserIdentifier { names.contains(user) ? alias : user }

  package func renamed(_ user: UserIdentifier?) -> UserIdentifier? { user.map { renamed($0) } }

  /// A text for people with the alias instead of the names.
  package func renamed(words text: String) -> String {
    NamesInText.replaced(names.map(\.text), by: alias.text, in: text)
  }

  package func renamed(_ account: LedgerAccount) -> LedgerAccount {
    guard case .user(let user) = account else { return account }
    return .user(renamed(user))
  }
}

/// What one step of an erasure changed.
package struct RenamedRows: Hashable, Sendable {
  package var orders = 0
  package var payments: [PaymentKey] = []
  package var bookings = 0

  package init() {}

  package var isEmpty: Bool { orders == 0 && payments.isEmpty && bookings == 0 }
}

/// Rows that may name a user without being the user's own, such as the journal of a payment that they presented.
package enum NamingTable: CaseIterable, Hashable, Sendable {
  case payments
  case subscriptions
  case deliveries
  case keptClaims
  case stoppedChanges
  case appStoreTasks
  case journal

  /// Whether the user stands in columns of their own there, and not within JSON texts.
  package var hasUsers: Bool { self == .payments || self == .subscriptions }
}

/// The rows of a table that name a user, from a range of its numbers.
package struct NamingRows: Hashable, Sendable {
  package var payments: [PaymentKey] = []
  /// Numbers of entries of the journal.
  package var entries: [Int64] = []
  /// Whether there are numbers after the range.
  package var hasMore = false

  package init() {}
}
