package import PaymentPrimitives

/// The length of a subscription period in ISO 8601: the six lengths that App Store Connect offers.
package enum SubscriptionPeriod: String, CaseIterable, Sendable {
  case week = "P1W"
  case month = "P1M"
  case twoMonths = "P2M"
  case threeMonths = "P3M"
  case sixMonths = "P6M"
  case year = "P1Y"

  /// The end of a period that begins at `start`.
  ///
  /// - Parameter isAccelerated: whether time runs as in the sandbox, where a month lasts five minutes (rule AS-SUB-2).
  package func end(from start: Timestamp, isAccelerated: Bool) -> Timestamp {
    if isAccelerated { return start + acceleratedSpan }
    switch self {
    case .week: return start + .days(7)
    case .month: return start.adding(months: 1)
    case .twoMonths: return start.adding(months: 2)
    case .threeMonths: return start.adding(months: 3)
    case .sixMonths: return start.adding(months: 6)
    case .year: return start.adding(months: 12)
    }
  }

  /// Apple's sandbox table at its usual rate.
  private var acceleratedSpan: TimeSpan {
    switch self {
    case .week: .minutes(3)
    case .month: .minutes(5)
    case .twoMonths: .minutes(10)
    case .threeMonths: .minutes(15)
    case .sixMonths: .minutes(30)
    case .year: .hours(1)
    }
  }
}

extension Timestamp {
  /// The same day of the month and time of day in UTC, this many months later; in a shorter month its last day.
  func adding(months: Int64) -> Timestamp {
    let text = iso8601
    let parts = text.prefix { $0 != "T" }.split(separator: "-").compactMap { Int64($0) }
    // For years before 0 or after 9999, thirty days per month are accurate enough.
    guard parts.count == 3, text.utf8.count == 24 else { return self + .days(30 * months) }
    let month = parts[0] * 12 + parts[1] - 1 + months
    let time = text.drop { $0 != "T" }
    // If the month does not have this day, use its last day: at the earliest the 28th.
    for day in stride(from: parts[2], through: min(parts[2], 28), by: -1) {
      let date =
        "\(Self.padded(month / 12, 4))-\(Self.padded(month % 12 + 1, 2))-\(Self.padded(day, 2))"
      if let moment = Timestamp(iso8601: date + time) { return moment }
    }
    return self + .days(30 * months)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
