package import PaymentDatabase
import PaymentModel
package import PaymentPrimitives
import Synchronization

/// Where a page of events begins.
package enum EventStart: Hashable, Sendable {
  case beginning
  /// After that event, or after the `next` of a page.
  case after(EventIdentifier)
  /// At the events of that time, as far as the journal is in the order of time.
  case since(Timestamp)
}

/// A page of the events of an app environment, in the order in which every reader sees them.
package struct EventPage: Hashable, Sendable {
  package let events: [NumberedJournalEntry]
  /// Where the next page begins; nil if there was no event yet.
  package let next: EventIdentifier?
}

extension PaymentEngine {
  /// Reads the journal as a feed: whoever goes on after `next` gets every event, each at least once.
  ///
  /// - Parameters:
  ///   - span: how long to wait for the first event if there is none yet.
  /// - Throws: `eventUnknown` if the database does not have the event after which to begin: it was restored to an
  ///   earlier moment.
  package func listEvents(
    in appEnvironment: AppEnvironment, from start: EventStart, limit: Int, waiting span: TimeSpan
  ) async throws -> EventPage {
    let deadline = dependencies.now() + span
    var place: EventIdentifier?
    if case .after(let event) = start { place = try await known(event) }
    while true {
      // A stream ends for good when a wait for it is cancelled, so each round needs a new listener.
      let listener = commits.listenToAll()
      defer { commits.stop(listener.number) }
      let page = try await readEvents(in: appEnvironment, after: place, from: start, limit: limit)
      let rest = deadline - dependencies.now()
      guard page.events.isEmpty, rest > .zero else { return page }
      // It passed over entries of other apps or of an earlier time, and there may be more.
      guard page.next == place else {
        place = page.next
        continue
      }
      try await sleep(min(limits.eventRecheck, rest), orUntil: listener.signals)
      // Many commits end one wait.
      try await dependencies.sleep(min(limits.feedPause, rest))
    }
  }

  /// An event after which a page may begin.
  private func known(_ event: EventIdentifier) async throws -> EventIdentifier {
    let found = try await read { try $0.firstJournalEntry(from: event.number) }
    guard let found, EventIdentifier(of: found) == event else { throw CodedError<EngineErrorCode>(.eventUnknown) }
    return event
  }

  /// A page after a place; nothing while it is not known what is settled.
  private func readEvents(
    in appEnvironment: AppEnvironment, after place: EventIdentifier?, from start: EventStart, limit: Int
  ) async throws -> EventPage {
    guard let ends = try await settledRows() else { return EventPage(events: [], next: place) }
    return try await read { reader in
      var (place, since) = (place, Timestamp?.none)
      if case .since(let moment) = start {
        since = moment
        place = try place ?? Self.eventPlace(before: moment - Self.eventDisorder, upTo: ends.journal, reader)
      }
      let query = JournalQuery(
        appEnvironment: appEnvironment, after: place?.number ?? 0, upTo: ends.journal, limit: limit)
      let page = try reader.journal(query)
      let events = page.entries.filter { entry in since.map { entry.entry.at >= $0 } ?? true }
      return EventPage(events: events, next: page.last.map { EventIdentifier(of: $0) } ?? place)
    }
  }

  /// Events of one time may stand this far from each other: a transaction takes its time at its begin, and its numbers
  /// at its end.
  static let eventDisorder = TimeSpan.minutes(1)

  /// The last entry up to that number, of whatever app; nil without any.
  static func lastEvent(upTo end: Int64, _ reader: any DatabaseReader) throws -> EventIdentifier? {
    try eventPlace(before: Timestamp(milliseconds: .max), upTo: end, reader)
  }

  /// The last entry before the first one of that time or later, found by halving: the journal has no index by time.
  private static func eventPlace(
    before moment: Timestamp, upTo end: Int64, _ reader: any DatabaseReader
  ) throws -> EventIdentifier? {
    var (low, high): (Int64, Int64) = (0, end)
    var place: EventIdentifier?
    while low < high {
      let middle = low + (high - low) / 2
      guard let found = try reader.firstJournalEntry(from: middle + 1), found.number <= high, found.entry.at < moment
      else {
        high = middle
        continue
      }
      low = found.number
      place = EventIdentifier(of: found)
    }
    return place
  }

  /// Up to which numbers no row will still appear. It waits a moment for transactions that are writing now.
  ///
  /// - Returns: what was settled before, if one of them takes longer; nil if nothing is known.
  func settledRows() async throws -> FeedEnds? {
    var settlement = FeedSettlement()
    var last: FeedLook?
    for round in 0..<limits.feedLooks {
      if round > 0 { try await dependencies.sleep(limits.feedPause) }
      let look: FeedLook
      do { look = try await database.lookAtFeed() } catch { throw explained(error) }
      if let ends = settlement.receive(look) {
        settled.note(ends, server: look.server)
        return ends
      }
      last = look
    }
    return last.flatMap { settled.ends(at: $0) }
  }
}

/// The rows that this process knows to be settled.
final class SettledRows: Sendable {
  private let known = Mutex<(ends: FeedEnds, server: String)?>(nil)

  func note(_ ends: FeedEnds, server: String) { known.withLock { $0 = (ends, server) } }

  /// Nothing if the server is another one, or has fewer rows than it had.
  func ends(at look: FeedLook) -> FeedEnds? {
    known.withLock { known in
      guard let known, known.server == look.server, look.ends.reaches(known.ends) else { return nil }
      return known.ends
    }
  }
}
