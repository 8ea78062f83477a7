package import PaymentModel
package import PaymentPrimitives

/// A page of the journal as a feed: the entries of an app environment in the order of their numbers.
package struct JournalQuery: Hashable, Sendable {
  /// How many entries of all app environments one page looks through: the journal has no index by app environment.
  package static let scanMax = 5_000

  package var appEnvironment: AppEnvironment
  /// Only entries with larger numbers.
  package var after: Int64
  /// Only entries up to this number (`FeedEnds.journal`).
  package var upTo: Int64
  package var limit: Int

  package init(appEnvironment: AppEnvironment, after: Int64, upTo: Int64, limit: Int) {
    self.appEnvironment = appEnvironment
    self.after = after
    self.upTo = upTo
    self.limit = limit
  }
}

/// An entry of the journal with its place in the feed.
package struct NumberedJournalEntry: Hashable, Sendable {
  /// From 1, growing, with gaps.
  package let number: Int64
  package let entry: JournalEntry
  /// The user of the order that it tells of; nil without an order.
  package let user: UserIdentifier?
  /// The app's own number of that order.
  package let reference: Reference?

  package init(number: Int64, entry: JournalEntry, user: UserIdentifier?, reference: Reference?) {
    self.number = number
    self.entry = entry
    self.user = user
    self.reference = reference
  }
}

package struct JournalPage: Hashable, Sendable {
  package let entries: [NumberedJournalEntry]
  /// The last entry that the page looked at, of whatever app: the next page begins after it. Nil if there was none.
  package let last: NumberedJournalEntry?

  package init(entries: [NumberedJournalEntry], last: NumberedJournalEntry?) {
    self.entries = entries
    self.last = last
  }
}

/// The journal as a feed. No plan contains these reads.
package protocol JournalFeedReader {
  func journal(_ query: JournalQuery) throws -> JournalPage
  /// The first entry with that number or a larger one, of whatever app.
  func firstJournalEntry(from number: Int64) throws -> NumberedJournalEntry?
}

/// The numbers of the last rows that readers see of what is read as a feed.
package struct FeedEnds: Hashable, Sendable {
  package var journal: Int64
  package var deliveries: Int64

  /// Where one process writes, rows appear in the order of their numbers: whatever is seen is settled.
  package static let everything = FeedEnds(journal: .max, deliveries: .max)

  package init(journal: Int64, deliveries: Int64) {
    self.journal = journal
    self.deliveries = deliveries
  }

  package func reaches(_ other: FeedEnds) -> Bool { journal >= other.journal && deliveries >= other.deliveries }
}

/// What a database showed at one moment, and which transactions were writing just after.
package struct FeedLook: Hashable, Sendable {
  package var ends: FeedEnds
  /// Names of transactions; a name is not used again while the server runs.
  package var writers: Set<String>
  /// The server's run: names of writers count for it alone.
  package var server: String

  package static let everything = FeedLook(ends: .everything, writers: [], server: "")

  package init(ends: FeedEnds, writers: Set<String>, server: String) {
    self.ends = ends
    self.writers = writers
    self.server = server
  }
}

/// Finds out up to which numbers no row will still appear.
///
/// A row gets its number while its transaction writes, and is seen once that has committed. A row with a smaller number
/// than one that is seen can therefore only come from a transaction that was writing at that moment. Once all of these
/// have ended, what was seen then is settled.
package struct FeedSettlement {
  private var first: FeedLook?

  package init() {}

  /// - Returns: the ends of an earlier look that are settled now; nil while one of its writers still writes.
  package mutating func receive(_ look: FeedLook) -> FeedEnds? {
    guard var earlier = first, earlier.server == look.server, look.ends.reaches(earlier.ends) else {
      first = look
      return look.writers.isEmpty ? look.ends : nil
    }
    earlier.writers.formIntersection(look.writers)
    first = earlier
    return earlier.writers.isEmpty ? earlier.ends : nil
  }
}
