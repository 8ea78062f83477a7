import AppStoreProtocol
import PaymentPrimitives

/// Notifications as they came. What the calendar comes to late has an earlier date than what came before it.
struct NotificationOrder: Hashable, Sendable {
  private(set) var ids: [AppStoreUUID] = []
  /// The latest date of all up to each place: it never falls.
  private var latest: [Timestamp] = []

  mutating func append(_ id: AppStoreUUID, signedDate: Timestamp) {
    ids.append(id)
    latest.append(max(signedDate, latest.last ?? signedDate))
  }

  /// The first place at which something since that moment may stand: a year of notifications is not looked through for
  /// those of an hour.
  func place(since moment: Timestamp) -> Int {
    var (low, high) = (0, latest.count)
    while low < high {
      let middle = (low + high) / 2
      if latest[middle] < moment { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
