/// The id and the words that whoever booked has chosen.
package struct BookingWords: Hashable, Sendable {
  package let key: String
  package let reason: String?
  /// JSON.
  package let metadata: String?
}

/// What a reader sees of texts that may name a person. The console and the API follow this rule alone (record 316).
package struct PersonalView: Hashable, Sendable {
  /// The app's backend: these texts are its own.
  package static let backend = PersonalView(isOpen: true)

  /// Whether such texts are shown.
  package let isOpen: Bool

  private init(isOpen: Bool) { self.isOpen = isOpen }

  /// - Parameter asks: whether the operator asks for them. Pages leave them out otherwise, and enter in the audit log
  ///   who asked.
  package init(_ role: OperatorRole, asks: Bool = true) {
    isOpen = asks && role.permissions.contains(.readPersonalData)
  }

  /// Nil if they are hidden, and for an entry of a payment.
  package func words(of entry: LedgerEntry) -> BookingWords? {
    guard isOpen, case .booking(let key, _) = entry.posting.source else { return nil }
    return BookingWords(key: key, reason: entry.booking?.reason, metadata: entry.booking?.metadata)
  }

  /// The details of an entry of the journal: JSON, nil if they are hidden.
  package func details(of entry: JournalEntry) -> String? { isOpen ? entry.details : nil }

  /// JSON, nil if it is hidden.
  package func metadata(of order: Order) -> String? { isOpen ? order.metadata : nil }

  /// JSON, nil if it is hidden.
  package func body(of delivery: Delivery) -> String? { isOpen ? delivery.body : nil }
}
