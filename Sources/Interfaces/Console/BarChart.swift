package import Markup
package import PaymentPrimitives

/// Rows of bars over the same columns of time, and the same numbers as a table. A pure function from numbers to markup.
///
/// Each row has its name and its sum beside it, so nothing is told by a colour alone. It has a scale of its own: a few
/// held payments are seen beside a thousand granted ones.
package struct BarChart {
  package struct Series {
    let name: String
    let tone: Tone
    /// One for each column; nil where nothing is known.
    let values: [Int64?]
    /// How a number is written.
    let text: (Int64) -> String

    package init(_ name: String, _ tone: Tone, values: [Int64?], text: @escaping (Int64) -> String = { "\($0)" }) {
      self.name = name
      self.tone = tone
      self.values = values
      self.text = text
    }

    package var sum: Int64 {
      values.reduce(0) { sum, value in
        let (new, overflow) = sum.addingReportingOverflow(value ?? 0)
        return overflow ? Int64.max : new
      }
    }

    fileprivate var most: Int64 { values.compactMap(\.self).max() ?? 0 }
  }

  let title: String
  /// What the numbers are, and what they are not.
  let note: String
  /// The times of the columns, in full, for the table.
  let columns: [String]
  /// The first and the last time, as the axis shows them.
  let ends: (first: String, last: String)
  let series: [Series]
  let language: Language

  package init(
    title: String, note: String, columns: [String], ends: (first: String, last: String), series: [Series],
    language: Language
  ) {
    (self.title, self.note, self.language) = (title, note, language)
    (self.columns, self.ends, self.series) = (columns, ends, series)
  }

  package var markup: Markup {
    .element(
      .section, [.style("panel chart")], .element(.header, .element(.h2, .text(title))),
      .element(
        .div, [.style("body")], Markup(series.map(row)),
        .element(
          .p, [.style("axis"), .of(.ariaHidden, "true")], .element(.span, .text(ends.first)),
          .element(.span, .text(ends.last))),
        .element(.p, .element(.small, [.style("muted")], .text(note))), table))
  }

  private func row(_ series: Series) -> Markup {
    let sum = series.text(series.sum)
    let most = BilingualText("most: \(series.text(series.most))", "最高 \(series.text(series.most))")[language]
    return .element(
      .div, [.style("series")],
      .element(
        .p, .element(.span, .text(series.name)), .element(.b, .text(sum)),
        series.most > 0 ? .element(.small, [.style("muted")], .text(most)) : Markup()),
      .element(
        .svg,
        [
          .style("bars " + (series.tone == .plain ? "info" : series.tone.rawValue)), .of(.role, "img"),
          .of(.ariaLabel, "\(title), \(series.name): \(sum)"), .of(.preserveAspectRatio, "none"),
          .of(.viewBox, "0 0 \(columns.count * Self.columnWidth) \(Self.height)"),
        ], all: bars(of: series)))
  }

  private static let columnWidth = 10
  private static let height = 400
  /// One of many still has a bar that is seen.
  private static let heightMin: Int64 = 16

  private func bars(of series: Series) -> [Markup] {
    zip(columns, series.values).enumerated().compactMap { place, column in
      guard let value = column.1, value > 0 else { return nil }
      let high = Self.height(of: value, most: series.most)
      return .element(
        .rect,
        [
          .of(.x, "\(place * Self.columnWidth + 1)"), .of(.y, "\(Int64(Self.height) - high)"),
          .of(.width, "\(Self.columnWidth - 2)"), .of(.height, "\(high)"),
        ], .element(.title, .text("\(column.0): \(series.text(value))")))
    }
  }

  /// In proportion, by whole numbers.
  package static func height(of value: Int64, most: Int64) -> Int64 {
    guard value > 0, most > 0 else { return 0 }
    let full = Int64(height)
    let high = most <= Int64.max / full ? value * full / most : value / (most / full)
    return min(full, max(heightMin, high))
  }

  private var table: Markup {
    let head = Markup.element(
      .thead,
      .element(
        .tr,
        all: [Markup.element(.th, [.of(.scope, "col")], .text(Self.time[language]))]
          + series.map { Markup.element(.th, [.of(.scope, "col"), .style("n")], .text($0.name)) }))
    let rows = columns.indices.reversed().map { place in
      Markup.element(
        .tr,
        all: [Markup.element(.th, [.of(.scope, "row")], .text(columns[place]))] + series.map { cell($0, at: place) })
    }
    let label = "\(title): \(Self.asTable[language])"
    return .element(
      .details, .element(.summary, .text(Self.asTable[language])),
      .element(
        .div, [.style("list"), .of(.tabindex, "0"), .of(.role, "region"), .of(.ariaLabel, label)],
        .element(.table, head, .element(.tbody, all: rows))))
  }

  private func cell(_ series: Series, at place: Int) -> Markup {
    let value = place < series.values.count ? series.values[place] : nil
    return .element(.td, [.style("n")], .text(value.map(series.text) ?? "–"))
  }

  private static let time = BilingualText("From", "起始时间")
  private static let asTable = BilingualText("Numbers as a table", "以表格显示")
}
