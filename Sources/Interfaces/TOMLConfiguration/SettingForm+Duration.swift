package import PaymentPrimitives

extension SettingForm where Value == TimeSpan {
  /// A duration as a text of a whole number and a unit: `"250ms"`, `"30s"`, `"15m"`, `"24h"`, `"7d"`.
  ///
  /// A bare number is an error, because its unit would be unclear. A day has 24 hours.
  package static func duration(in range: ClosedRange<TimeSpan>) -> SettingForm {
    let bounds = "from \(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
    let wanted = "a length of time such as \"30s\", \"15m\", \"24h\" or \"7d\", \(bounds)"
    return SettingForm(
      wanted: wanted, shape: .duration(range),
      read: { value throws(Mismatches) in
        guard case .string(let text) = value.content else {
          throw Mismatches(.wrongType, "It must be \(wanted); this is \(value.content.kind).")
        }
        guard let span = DurationText.span(of: text) else {
          throw Mismatches(.malformed, "It must be \(wanted).")
        }
        guard range.contains(span) else {
          throw Mismatches(.outOfRange, "It must be \(bounds).")
        }
        return span
      },
      value: { .string($0) })
  }
}

enum DurationText {
  /// The units in milliseconds, the longest first.
  static let units: [(name: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// The span of a text; nil unless it is digits and a unit, and fits 64 bits.
  static func span(of text: String) -> TimeSpan? {
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    let unit = String(text.dropFirst(digits.count))
    guard let count = Int64(String(Substring(digits))),
      let length = units.first(where: { $0.name == unit })?.milliseconds
    else { return nil }
    let (milliseconds, overflow) = count.multipliedReportingOverflow(by: length)
    return overflow ? nil : TimeSpan(milliseconds: milliseconds)
  }

  /// A span in the largest unit that divides it.
  static func text(_ span: TimeSpan) -> String {
    guard span != .zero,
      let unit = units.first(where: { span.milliseconds.isMultiple(of: $0.milliseconds) })
    else { return "0s" }
    return "\(span.milliseconds / unit.milliseconds)\(unit.name)"
  }
}
