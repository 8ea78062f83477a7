import PaymentPrimitives

/// Tracks failing deliveries to one endpoint for the log. Each is logged when it first fails, at most once an hour
/// while it fails, and when it succeeds again.
actor FailedDeliveries {
  /// Deliveries logged by id; a failing endpoint affects thousands, and one line for each adds nothing.
  private static let reportedMax = 20
  /// Interval between log events of a delivery that keeps failing.
  private static let pause = TimeSpan.hours(1)

  private var reported: [DeliveryIdentifier: Timestamp] = [:]
  private var othersToldAt: Timestamp?
  private var others: Set<DeliveryIdentifier> = []
  /// The most other ids that are counted exactly.
  private static let othersMax = 10_000

  /// Records a failed attempt.
  ///
  /// - Returns: the number of other failing deliveries that were not logged, if this one is to be logged; otherwise
  ///   nil.
  func failed(_ id: DeliveryIdentifier, at now: Timestamp) -> Int? {
    if let last = reported[id] {
      guard now >= last + Self.pause else { return nil }
      reported[id] = now
      return others.count
    }
    if reported.count < Self.reportedMax {
      reported[id] = now
      others.remove(id)
      return others.count
    }
    if others.count < Self.othersMax { others.insert(id) }
    if let last = othersToldAt, now < last + Self.pause { return nil }
    othersToldAt = now
    return others.count - 1
  }

  /// Records a success; returns whether it follows logged failures.
  func succeeded(_ id: DeliveryIdentifier) -> Bool {
    others.remove(id)
    return reported.removeValue(forKey: id) != nil
  }
}
