import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// How far an endpoint has been sent the events of an app environment: all up to a number, except those that are open.
///
/// It is one setting, `events.<app>.<environment>.<endpoint>`. An event that is not acknowledged is open until it is,
/// and holds up none behind it while there is room for more.
struct EventPlace: Hashable, Sendable {
  /// Open events at most: a receiver that refuses everything stops the reading of the feed, not the making of events.
  static let openMax = 200

  /// The number of the last journal entry that was looked at.
  var after: Int64
  /// By number.
  var open: [Open]

  struct Open: Hashable, Sendable {
    /// The number of the journal entry.
    let number: Int64
    let since: Timestamp
    var attempts: Int
    var nextAttemptAt: Timestamp
  }

  init(after number: Int64) {
    after = number
    open = []
  }

  static func setting(_ appEnvironment: AppEnvironment, endpoint: String) -> String {
    "events.\(appEnvironment.app.text).\(appEnvironment.environment.rawValue).\(endpoint)"
  }

  /// Nil if no place is stored.
  ///
  /// - Throws: `inconsistent` for a text that is none.
  init?(text: String?) throws {
    guard let text else { return nil }
    guard let json = try? JSONReader.read(text.utf8), let after = json["after"]?.integer,
      let open = json["open"]?.array?.map({ Open($0) }), open.allSatisfy({ $0 != nil })
    else { throw CodedError<DatabaseErrorCode>(.inconsistent, "A place in the feed of events.") }
    self.after = after
    self.open = open.compactMap(\.self)
  }

  var text: String {
    JSONValue.members([("after", .integer(after)), ("open", .array(open.map(\.json)))]).text
  }

  /// Takes the entries of a page that are to be sent, and goes on after the page.
  mutating func take(_ entries: [NumberedJournalEntry], upTo last: Int64, at now: Timestamp) {
    open += entries.map { Open(number: $0.number, since: now, attempts: 0, nextAttemptAt: now) }
    after = last
  }

  mutating func close(_ number: Int64) { open.removeAll { $0.number == number } }

  /// Plans the next attempt, counted from the database's clock.
  mutating func postpone(_ number: Int64, until next: Timestamp) {
    guard let index = open.firstIndex(where: { $0.number == number }) else { return }
    open[index].attempts += 1
    open[index].nextAttemptAt = next
  }
}

extension EventPlace.Open {
  fileprivate init?(_ json: JSONValue) {
    let numbers = json.array?.compactMap(\.integer) ?? []
    guard numbers.count == 4 else { return nil }
    self.init(
      number: numbers[0], since: Timestamp(milliseconds: numbers[1]), attempts: Int(numbers[2]),
      nextAttemptAt: Timestamp(milliseconds: numbers[3]))
  }

  fileprivate var json: JSONValue {
    .array([
      .integer(number), .integer(since.milliseconds), .integer(attempts), .integer(nextAttemptAt.milliseconds),
    ])
  }
}
