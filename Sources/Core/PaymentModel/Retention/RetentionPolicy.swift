package import PaymentPrimitives

/// How long is kept what money does not need any more (record 303). Nil keeps it for ever.
package struct RetentionPolicy: Hashable, Sendable {
  /// Merchants in China must keep the record of a sale for three years: nobody can set less.
  package static let evidenceMin = TimeSpan.days(3 * 365)
  /// What many countries want of accounting vouchers.
  package static let evidenceOfVouchers = TimeSpan.days(3650)
  /// The longest time that can be set: longer is for ever.
  package static let most = TimeSpan.days(36_500)

  /// Bodies of deliveries and their failed attempts, counted from the acknowledgement.
  package var deliveries: TimeSpan?
  /// Sessions, links and begun sign-ins of the console, counted from their end.
  package var sessions: TimeSpan?
  /// What a store signed, counted from its arrival. Its SHA-256 stays.
  package var evidence: TimeSpan?

  package init(deliveries: TimeSpan? = nil, sessions: TimeSpan? = nil, evidence: TimeSpan? = nil) {
    self.deliveries = deliveries
    self.sessions = sessions
    self.evidence = evidence
  }

  package var isOff: Bool { self == RetentionPolicy() }
}

/// A table whose rows are shortened once they are old.
package enum RetainedTable: String, Hashable, CaseIterable, Sendable {
  case deliveries
  case evidence
  case notifications
  case receipts
  case sessions
}

/// Payments with rows that are old enough, from a range of a table's numbers.
package struct OldRows: Hashable, Sendable {
  package var payments: [PaymentKey] = []
  /// Whether there are numbers after the range.
  package var hasMore = false

  package init() {}
}

/// What stands in the place of a signed text whose time is over.
package enum ShortenedText {
  package static let prefix = "sha256:"

  package static func isOne(_ text: String) -> Bool { text.utf8.starts(with: prefix.utf8) }
}
