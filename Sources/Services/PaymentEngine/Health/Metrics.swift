import Synchronization

/// Counters and timings in memory, written as Prometheus text. Labels never contain users, orders or transactions.
package final class Metrics: Sendable {
  /// A counter or gauge with its labels.
  package struct Key: Hashable, Sendable {
    let name: String
    let labels: String
  }

  private struct State {
    var counters: [String: [String: Double]] = [:]
    var gauges: [String: [String: Double]] = [:]
    var histograms: [String: [String: Histogram]] = [:]
    var help: [String: String] = [:]
  }

  private struct Histogram {
    var counts = [Int](repeating: 0, count: Metrics.bounds.count + 1)
    var sum = 0.0
  }

  /// Upper bounds of the timing buckets, in seconds: from a local read to a request that waits.
  static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

  private let state = Mutex(State())

  package init() {}

  package func count(_ name: String, _ labels: [(String, String)] = [], by amount: Double = 1) {
    let labels = Self.text(labels)
    state.withLock { $0.counters[name, default: [:]][labels, default: 0] += amount }
  }

  package func set(_ name: String, _ labels: [(String, String)] = [], to value: Double) {
    let labels = Self.text(labels)
    state.withLock { $0.gauges[name, default: [:]][labels] = value }
  }

  package func time(_ name: String, _ labels: [(String, String)] = [], milliseconds: Int64) {
    let labels = Self.text(labels)
    let seconds = Double(milliseconds) / 1000
    let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
    state.withLock {
      $0.histograms[name, default: [:]][labels, default: Histogram()].counts[bucket] += 1
      $0.histograms[name, default: [:]][labels, default: Histogram()].sum += seconds
    }
  }

  /// The value of a counter, 0 if it was never counted.
  package func counter(_ name: String, _ labels: [(String, String)] = []) -> Double {
    let labels = Self.text(labels)
    return state.withLock { $0.counters[name]?[labels] ?? 0 }
  }

  /// All metrics as Prometheus text exposition format 0.0.4.
  package func text() -> String {
    let state = state.withLock { $0 }
    var lines: [String] = []
    for (kind, families) in [("counter", state.counters), ("gauge", state.gauges)] {
      for (name, series) in families.sorted(by: { $0.key < $1.key }) {
        lines.append("# TYPE \(name) \(kind)")
        for (labels, value) in series.sorted(by: { $0.key < $1.key }) {
          lines.append("\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(Self.number(value))")
        }
      }
    }
    for (name, series) in state.histograms.sorted(by: { $0.key < $1.key }) {
      lines.append("# TYPE \(name) histogram")
      for (labels, histogram) in series.sorted(by: { $0.key < $1.key }) {
        lines += Self.lines(name, labels, histogram: histogram)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ name: String, _ labels: String, histogram: Histogram) -> [String] {
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
