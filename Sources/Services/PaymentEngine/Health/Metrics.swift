import PaymentModel
import PaymentPrimitives
import Synchronization

/// Counters and timings in memory, written as Prometheus text. Labels never contain users, orders or transactions.
package final class Metrics: Sendable {
  private struct State {
    var values: [Metric: [String: Double]] = [:]
    var histograms: [Metric: [String: Histogram]] = [:]
  }

  private struct Histogram {
    var counts: [Int]
    var sum = 0.0

    init(_ bounds: [Double]) { counts = [Int](repeating: 0, count: bounds.count + 1) }
  }

  private let state: Mutex<State>

  package init() {
    var start = State()
    // An alert on an increase misses the first event of a series that did not exist before.
    for metric in Metric.allCases where metric.kind == .counter && metric.labels.isEmpty {
      start.values[metric] = ["": 0]
    }
    for invariant in Invariant.allCases {
      start.values[.invariantViolationTotal, default: [:]][Self.text([("invariant", "\(invariant.rawValue)")])] = 0
    }
    state = Mutex(start)
  }

  package func count(_ metric: Metric, _ labels: [(String, String)] = [], by amount: Double = 1) {
    let labels = Self.text(labels)
    state.withLock { $0.values[metric, default: [:]][labels, default: 0] += amount }
  }

  /// Sets a gauge, or a counter that is counted elsewhere.
  package func set(_ metric: Metric, _ labels: [(String, String)] = [], to value: Double) {
    let labels = Self.text(labels)
    state.withLock { $0.values[metric, default: [:]][labels] = value }
  }

  /// Adds a time to a histogram. A clock that was set back counts as no time.
  package func time(_ metric: Metric, _ labels: [(String, String)] = [], milliseconds: Int64) {
    let labels = Self.text(labels)
    let seconds = Double(max(0, milliseconds)) / 1000
    let bounds = metric.bounds
    let bucket = bounds.firstIndex { seconds <= $0 } ?? bounds.count
    state.withLock { state in
      state.histograms[metric, default: [:]][labels, default: Histogram(bounds)].counts[bucket] += 1
      state.histograms[metric, default: [:]][labels, default: Histogram(bounds)].sum += seconds
    }
  }

  /// The value of a counter or gauge, 0 if it has none.
  package func value(_ metric: Metric, _ labels: [(String, String)] = []) -> Double {
    let labels = Self.text(labels)
    return state.withLock { $0.values[metric]?[labels] ?? 0 }
  }

  /// How many times a histogram holds.
  package func timesCount(_ metric: Metric, _ labels: [(String, String)] = []) -> Int {
    let labels = Self.text(labels)
    return state.withLock { $0.histograms[metric]?[labels]?.counts.reduce(0, +) ?? 0 }
  }

  /// One series of a counter or gauge.
  package struct Series: Hashable, Sendable {
    package let labels: [String: String]
    package let value: Double
  }

  /// All series of a counter or gauge.
  package func series(of metric: Metric) -> [Series] {
    let values = state.withLock { $0.values[metric] ?? [:] }
    return values.map { Series(labels: Self.labels($0.key), value: $0.value) }
  }

  /// How many times a series of a histogram holds, and how many of them are within a bound.
  package struct Times: Hashable, Sendable {
    package let labels: [String: String]
    package let all: Int
    package let within: Int
  }

  /// All series of a histogram.
  ///
  /// - Parameter bound: one of the metric's bounds, in seconds.
  package func timesSeries(of metric: Metric, within bound: Double) -> [Times] {
    let histograms = state.withLock { $0.histograms[metric] ?? [:] }
    let bounds = metric.bounds.count { $0 <= bound }
    return histograms.map { labels, histogram in
      Times(
        labels: Self.labels(labels), all: histogram.counts.reduce(0, +),
        within: histogram.counts.prefix(bounds).reduce(0, +))
    }
  }

  /// All metrics as Prometheus text exposition format 0.0.4, by name.
  package func text() -> String {
    let state = state.withLock { $0 }
    var lines: [String] = []
    for metric in Metric.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
      let series = Self.lines(of: metric, state)
      guard !series.isEmpty else { continue }
      lines.append("# HELP \(metric.rawValue) \(metric.help.english)")
      lines.append("# TYPE \(metric.rawValue) \(metric.kind.rawValue)")
      lines += series
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(of metric: Metric, _ state: State) -> [String] {
    let values = (state.values[metric] ?? [:]).sorted { $0.key < $1.key }.map { labels, value in
      "\(metric.rawValue)\(labels.isEmpty ? "" : "{\(labels)}") \(number(value))"
    }
    let times = (state.histograms[metric] ?? [:]).sorted { $0.key < $1.key }
    return values + times.flatMap { lines(metric, $0.key, histogram: $0.value) }
  }

  private static func lines(_ metric: Metric, _ labels: String, histogram: Histogram) -> [String] {
    let (name, bounds) = (metric.rawValue, metric.bounds)
    let prefix = labels.isEmpty ? "" : labels + ","
    var running = 0
    var lines: [String] = []
    for (index, count) in histogram.counts.enumerated() {
      running += count
      let bound = index < bounds.count ? number(bounds[index]) : "+Inf"
      lines.append("\(name)_bucket{\(prefix)le=\"\(bound)\"} \(running)")
    }
    let braces = labels.isEmpty ? "" : "{\(labels)}"
    lines.append("\(name)_sum\(braces) \(number(histogram.sum))")
    lines.append("\(name)_count\(braces) \(running)")
    return lines
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }

  /// The labels that a text of `text(_:)` holds.
  private static func labels(_ text: String) -> [String: String] {
    var labels: [String: String] = [:]
    var (name, value): ([UInt8], [UInt8]) = ([], [])
    var (isValue, isEscaped) = (false, false)
    for byte in text.utf8 {
      switch (isValue, byte) {
      case (true, _) where isEscaped:
        value.append(byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
        isEscaped = false
      case (true, UInt8(ascii: "\\")): isEscaped = true
      case (true, UInt8(ascii: "\"")):
        labels[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        (name, value, isValue) = ([], [], false)
      case (true, _): value.append(byte)
      case (false, UInt8(ascii: "\"")): isValue = true
      case (false, UInt8(ascii: "=")), (false, UInt8(ascii: ",")): break
      case (false, _): name.append(byte)
      }
    }
    return labels
  }

  private static func text(_ labels: [(String, String)]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(128)
    for (name, value) in labels {
      if !text.isEmpty { text.append(UInt8(ascii: ",")) }
      text.append(contentsOf: name.utf8)
      text.append(contentsOf: "=\"".utf8)
      for byte in value.utf8 {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""): text += [UInt8(ascii: "\\"), byte]
        case UInt8(ascii: "\n"): text.append(contentsOf: "\\n".utf8)
        default: text.append(byte)
        }
      }
      text.append(UInt8(ascii: "\""))
    }
    return String(decoding: text, as: UTF8.self)
  }
}
