import PaymentPrimitives

/// What counters and histograms had at earlier moments, for increases over a span.
struct MetricsWindow: Sendable {
  /// Sums of counters, by a name that the judge chooses.
  typealias Sums = [String: Double]

  private struct Sample: Sendable {
    let at: Timestamp
    let sums: Sums
  }

  /// One sample a minute for the longest span is enough for spans of ten minutes and more.
  static let interval = TimeSpan.minutes(1)
  static let longest = TimeSpan.hours(6)

  private var samples: [Sample] = []
  private(set) var newest: Sums = [:]
  private var now = Timestamp(milliseconds: 0)

  /// Takes the present sums.
  mutating func take(_ sums: Sums, at now: Timestamp) {
    // After the clock was set back, the old samples name moments that are still to come.
    if let last = samples.last, last.at > now { samples = [] }
    (newest, self.now) = (sums, now)
    if let last = samples.last, now - last.at < Self.interval { return }
    samples.append(Sample(at: now, sums: sums))
    let oldest = now - Self.longest - Self.interval
    if let first = samples.firstIndex(where: { $0.at >= oldest }), first > 0 { samples.removeFirst(first) }
  }

  /// How much a sum grew within a span; since the first sample if that is younger.
  func increase(_ name: String, over span: TimeSpan) -> Double {
    let from = now - span
    let earlier = samples.last { $0.at <= from } ?? samples.first
    return max(0, (newest[name] ?? 0) - (earlier?.sums[name] ?? 0))
  }

  /// The change of a sum since a sample of that age; nil if there is none so old.
  func change(_ name: String, since span: TimeSpan) -> Double? {
    let from = now - span
    guard let earlier = samples.last(where: { $0.at <= from })?.sums[name], let present = newest[name] else {
      return nil
    }
    return present - earlier
  }

  /// How long there have been samples.
  var span: TimeSpan { samples.first.map { now - $0.at } ?? .zero }
}
