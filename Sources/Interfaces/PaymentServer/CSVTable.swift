/// A table as CSV (RFC 4180) in UTF-8 with a mark, as spreadsheets open it.
package struct CSVTable {
  /// More rows are not exported: the API and the database have all.
  package static let rowsMax = 10_000
  /// The mark at the beginning, by which spreadsheets know UTF-8.
  package static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  package private(set) var bytes: [UInt8]
  private let columnCount: Int

  package init(columns: [String]) {
    bytes = Self.mark
    columnCount = columns.count
    add(columns)
  }

  /// Adds a last row, which says that the table was cut, with as many cells as every other one: parsers read it, and
  /// readers see that it is not the whole list.
  package mutating func addCut(after rowCount: Int) {
    add(["cut after \(rowCount) rows; narrow the filter"] + Array(repeating: "", count: max(0, columnCount - 1)))
  }

  /// Adds a row. Numbers and moments of ours never begin like a formula; texts from outside may.
  package mutating func add(_ cells: [String]) { bytes += Self.line(cells) }

  /// A row with its line end.
  package static func line(_ cells: [String]) -> [UInt8] {
    Array(cells.map { cell($0) }.joined(separator: ",").utf8) + [0x0D, 0x0A]
  }

  /// A spreadsheet would compute a cell that begins like a formula: an apostrophe keeps it text.
  private static func cell(_ text: String) -> String {
    var text = text
    if let first = text.utf8.first, [0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D].contains(first),
      first != 0x2D || Int64(text) == nil
    {
      text = "'" + text
    }
    guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
    return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
