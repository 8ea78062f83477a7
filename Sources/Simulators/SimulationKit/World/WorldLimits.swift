import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON
import Synchronization

/// What the backend of a world lets its users spend in a month; it survives a kill of the backend.
final class WorldLimits: Sendable {
  struct Limit: Hashable, Sendable {
    let user: UserIdentifier
    /// In fen.
    let amount: Int64
    /// The number of the last journal entry when the backend had its answer. The limit is in force for every later
    /// order. Nil without an answer.
    var since: Int64?
    /// Whether no merge of the user was asked for until just after that answer.
    var isAlone = true
  }

  private let state = Mutex<[Limit]>([])

  /// All limits, in the order in which they were asked for.
  var all: [Limit] { state.withLock { $0 } }

  /// - Returns: its number.
  func want(_ limit: Limit) -> Int {
    state.withLock { all in
      all.append(limit)
      return all.count - 1
    }
  }

  func note(_ number: Int, _ change: (inout Limit) -> Void) { state.withLock { change(&$0[number]) } }

  /// Notes an answer to an order: only a world with limits refuses one for a limit.
  func note(_ response: HTTPResponse, to request: HTTPRequest, in events: EventTrace) {
    guard response.status == 409, request.method == "POST", request.target == "/v1/orders",
      (try? JSONReader.read(response.body))?["code"]?.string == "spending_limit_reached"
    else { return }
    events.mark(.limitReached)
    if all.isEmpty { events.reportViolation("an order was refused for a limit that nobody has set") }
  }
}

extension DatabaseReader {
  /// The journal of an app environment, in the order of its numbers.
  func wholeJournal(of appEnvironment: AppEnvironment) throws -> [NumberedJournalEntry] {
    var entries: [NumberedJournalEntry] = []
    var after: Int64 = 0
    while true {
      let page = try journal(
        JournalQuery(appEnvironment: appEnvironment, after: after, upTo: .max, limit: JournalQuery.scanMax))
      entries += page.entries
      guard let last = page.last, last.number > after else { return entries }
      after = last.number
    }
  }
}
