import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// The time that a restored database knows nothing about: from its backup to its restoration. It is stored as text
/// under `DatabaseSetting.backupGap`, with the earlier gaps of the same database.
package struct BackupGap: Hashable, Sendable {
  package let from: Timestamp
  package let until: Timestamp
  /// When all stores had answered everything that they can be asked about the gap; nil before.
  package var askedAt: Timestamp?
  /// The gaps of earlier restorations of this database, in their order.
  package let earlier: [ClosedRange<Timestamp>]

  /// More restorations than a database has; beyond it the oldest are forgotten.
  private static let earlierMax = 100
  /// An order is stored at most this long after its id was made.
  private static let idAge = TimeSpan.minutes(1)
  /// How long a payment may still arrive for an order that was made in the gap.
  private static let shownFor = Match.orderLifetime

  /// - Parameter former: the gap that the backup itself had.
  package init(from: Timestamp, until: Timestamp, after former: BackupGap? = nil) {
    self.from = min(from, until)
    self.until = until
    let known = former.map { $0.earlier + [$0.from...$0.until] } ?? []
    earlier = known.suffix(Self.earlierMax)
  }

  init(from: Timestamp, until: Timestamp, earlier: [ClosedRange<Timestamp>]) {
    self.from = from
    self.until = until
    self.earlier = earlier
  }

  /// Whether an order whose id was made at that moment may have been lost.
  ///
  /// A gap that is still open reaches to now: the server that wrote last may have worked on meanwhile.
  package func covers(_ moment: Timestamp, at now: Timestamp) -> Bool {
    let end = askedAt == nil ? max(until, now) : until
    return ((earlier + [from...end]).contains { $0.lowerBound - Self.idAge <= moment && moment <= $0.upperBound })
  }

  /// Whether an operator still sees the gap in the queue.
  package func isShown(at now: Timestamp) -> Bool { now < until + Self.shownFor }

  package init?(text: String) {
    guard let json = try? JSONReader.read(text.utf8), let from = json["from"]?.integer,
      let until = json["until"]?.integer
    else { return nil }
    self.from = Timestamp(milliseconds: min(from, until))
    self.until = Timestamp(milliseconds: until)
    earlier = (json["earlier"]?.array ?? []).compactMap { pair in
      guard let bounds = pair.array, bounds.count == 2, let low = bounds[0].integer, let high = bounds[1].integer,
        low <= high
      else { return nil }
      return Timestamp(milliseconds: low)...Timestamp(milliseconds: high)
    }.suffix(Self.earlierMax)
    askedAt = json["askedAt"]?.integer.map { Timestamp(milliseconds: $0) }
  }

  package var text: String {
    JSONValue.members([
      ("from", .integer(from.milliseconds)), ("until", .integer(until.milliseconds)),
      ("askedAt", askedAt.map { .integer($0.milliseconds) }),
      (
        "earlier",
        earlier.isEmpty
          ? nil
          : .array(
            earlier.map { .array([.integer($0.lowerBound.milliseconds), .integer($0.upperBound.milliseconds)]) })
      ),
    ]).text
  }
}

/// A day of a store in the gap whose bill has not been compared yet: a payment of that day may still be unknown here.
package struct UncomparedDay: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  package let store: Store
  /// The store's day, such as `2025-10-09`.
  package let day: String

  package init(appEnvironment: AppEnvironment, store: Store, day: String) {
    self.appEnvironment = appEnvironment
    self.store = store
    self.day = day
  }
}
