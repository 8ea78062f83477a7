package import PaymentPrimitives

/// The kind of value that a setting takes, with its bounds: what a reference tells and a reader checks.
package indirect enum SettingShape: Hashable, Sendable {
  /// A text; its length counts bytes of UTF-8.
  case text(bytes: ClosedRange<Int>)
  case integer(ClosedRange<Int64>)
  /// A number that may have a fraction.
  case decimal(ClosedRange<Double>)
  case bool
  /// A date and time with an offset from UTC.
  case moment
  case word([String])
  case duration(ClosedRange<TimeSpan>)
  /// The place of a secret.
  case secret
  case list(SettingShape, count: ClosedRange<Int>)
  /// One table, `[name]`.
  case table
  /// Any number of tables, `[[name]]`.
  case tables

  /// Whether the value names a place of a secret.
  package var isSecret: Bool {
    switch self {
    case .secret: true
    case .list(let item, _): item.isSecret
    default: false
    }
  }

  /// Whether it holds other settings.
  package var isTable: Bool { self == .table || self == .tables }

  /// The kind and the bounds, for a reader of the reference.
  package var words: BilingualText {
    switch self {
    case .text(let bytes):
      BilingualText(
        "text of \(bytes.lowerBound) to \(bytes.upperBound) bytes", "文本，\(bytes.lowerBound) 至 \(bytes.upperBound) 字节")
    case .integer(let range) where range.upperBound == .max:
      BilingualText("whole number from \(range.lowerBound)", "整数，不小于 \(range.lowerBound)")
    case .integer(let range):
      BilingualText(
        "whole number from \(range.lowerBound) to \(range.upperBound)", "整数，\(range.lowerBound) 至 \(range.upperBound)")
    case .decimal(let range):
      BilingualText(
        "number from \(range.lowerBound) to \(range.upperBound)", "数字，\(range.lowerBound) 至 \(range.upperBound)")
    case .bool: BilingualText("true or false", "true 或 false")
    case .moment: BilingualText("date and time with its offset from UTC", "带时区偏移的日期和时间")
    case .word(let words):
      BilingualText("one of \(Self.quoted(words))", "下列之一：\(Self.quoted(words))")
    case .duration(let range):
      BilingualText(
        "length of time from \(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))",
        "时长，\(DurationText.text(range.lowerBound)) 至 \(DurationText.text(range.upperBound))")
    case .secret: BilingualText("place of a secret", "机密内容的存放位置")
    case .list(let item, let count): list(of: item.words, count)
    case .table: BilingualText("table", "表")
    case .tables: BilingualText("list of tables", "表的列表")
    }
  }

  private func list(of item: BilingualText, _ count: ClosedRange<Int>) -> BilingualText {
    BilingualText(
      "list of \(count.lowerBound) to \(count.upperBound), each: \(item.english)",
      "列表，\(count.lowerBound) 至 \(count.upperBound) 项，每项为\(item.chinese)")
  }

  private static func quoted(_ words: [String]) -> String { words.map { "\"\($0)\"" }.joined(separator: ", ") }
}
