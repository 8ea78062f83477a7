import PaymentPrimitives

/// Which deliveries to one endpoint fail at present, so that the log tells of each when it first fails, at most once an
/// hour while it goes on, and when it succeeds again.
actor FailedDeliveries {
  /// Deliveries that are told of by their ids; a dead endpoint fails thousands, and one line of each says no more.
  private static let toldMax = 20
  /// How long nothing more is said of a delivery that goes on failing.
  private static let pause = TimeSpan.hours(1)

  private var told: [DeliveryIdentifier: Timestamp] = [:]
  private var othersToldAt: Timestamp?
  private var others: Set<DeliveryIdentifier> = []
  /// More ids than this are only counted as so many.
  private static let othersMax = 10_000

  /// Notes a failed attempt.
  ///
  /// - Returns: how many other deliveries fail of which nothing was said, where this one is to be told of; otherwise
  ///   nil.
  func failed(_ id: DeliveryIdentifier, at now: Timestamp) -> Int? {
    if let last = told[id] {
      guard now >= last + Self.pause else { return nil }
      told[id] = now
      return others.count
    }
    if told.count < Self.toldMax {
      told[id] = now
      others.remove(id)
      return others.count
    }
    if others.count < Self.othersMax { others.insert(id) }
    if let last = othersToldAt, now < last + Self.pause { return nil }
    othersToldAt = now
    return others.count - 1
  }

  /// Notes a success; whether it is one after failures that were told.
  func succeeded(_ id: DeliveryIdentifier) -> Bool {
    others.remove(id)
    return told.removeValue(forKey: id) != nil
  }
}
