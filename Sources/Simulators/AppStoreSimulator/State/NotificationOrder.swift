import AppStoreProtocol
import PaymentPrimitives

/// Notifications in the order of their creation. An event that the calendar processes late has an earlier date than its
/// predecessors.
struct NotificationOrder: Hashable, Sendable {
  private(set) var ids: [AppStoreUUID] = []
  /// The latest date up to each position: it never decreases.
  private var latest: [Timestamp] = []

  mutating func append(_ id: AppStoreUUID, signedDate: Timestamp) {
    ids.append(id)
    latest.append(max(signedDate, latest.last ?? signedDate))
  }

  /// The first position that may hold a notification since that moment. So a query for one hour does not scan a year.
  func place(since moment: Timestamp) -> Int {
    var (low, high) = (0, latest.count)
    while low < high {
      let middle = (low + high) / 2
      if latest[middle] < moment { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
