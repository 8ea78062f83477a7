import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// The time that a restored database knows nothing about: from its backup to its restoration. It is stored as text
/// under `DatabaseSetting.backupGap`.
package struct BackupGap: Hashable, Sendable {
  package let from: Timestamp
  package let until: Timestamp
  /// When all stores had answered everything that they can be asked about the gap; nil before.
  package var askedAt: Timestamp?

  package init(from: Timestamp, until: Timestamp) {
    self.from = min(from, until)
    self.until = until
  }

  package init?(text: String) {
    guard let json = try? JSONReader.read(text.utf8), let from = json["from"]?.integer,
      let until = json["until"]?.integer
    else { return nil }
    self.init(from: Timestamp(milliseconds: from), until: Timestamp(milliseconds: until))
    askedAt = json["askedAt"]?.integer.map { Timestamp(milliseconds: $0) }
  }

  package var text: String {
    JSONValue.members([
      ("from", .integer(from.milliseconds)), ("until", .integer(until.milliseconds)),
      ("askedAt", askedAt.map { .integer($0.milliseconds) }),
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
