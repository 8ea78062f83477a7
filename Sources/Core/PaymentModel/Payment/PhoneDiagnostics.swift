package import PaymentPrimitives

/// What a phone counted about orders that were nearly lost. It names no person, no order and no transaction.
package struct PhoneReport: Hashable, Sendable {
  /// For so long a repeated report is recognised. A phone gives up a report sooner.
  package static let remembered = TimeSpan.days(32)

  /// The report's own id.
  package let id: OrderIdentifier
  package let appEnvironment: AppEnvironment
  package let receivedAt: Timestamp
  /// The counts by kind, each above zero.
  package let counts: [String: Int64]

  package init(id: OrderIdentifier, in appEnvironment: AppEnvironment, at moment: Timestamp, counts: [String: Int64]) {
    self.id = id
    self.appEnvironment = appEnvironment
    receivedAt = moment
    self.counts = counts
  }

  /// The day on which it counts: the server's, because a phone's clock may be wrong.
  package var day: String { receivedAt.utcDay }
}

/// What all phones of an app environment counted on a day.
package struct PhoneCount: Hashable, Sendable {
  package let day: String
  package let kind: String
  package let count: Int64

  package init(day: String, kind: String, count: Int64) {
    self.day = day
    self.kind = kind
    self.count = count
  }
}
