import PaymentPrimitives
import PaymentServer

/// A list as a file, which has a bounded number of rows and says so.
struct ListFile {
  private static let pageSize = 500

  /// The most rows.
  private let rowsMax: Int
  private(set) var table: CSVTable

  init(columns: [String], rowsMax: Int) {
    self.rowsMax = rowsMax
    table = CSVTable(columns: columns)
  }

  /// Adds the pages of a list. A file that cannot take all of them ends with a row that says so.
  ///
  /// - Parameter page: the rows behind a place, at most so many, and the place behind them. There may be nothing behind
  ///   it, so one row more than the file takes is asked for.
  mutating func add<Position: Sendable>(
    _ page: (_ after: Position?, _ limit: Int) async throws -> (rows: [[String]], next: Position?)
  ) async throws {
    var after: Position?
    var count = 0
    repeat {
      let found = try await page(after, min(Self.pageSize, rowsMax + 1 - count))
      for row in found.rows.prefix(rowsMax - count) { table.add(row) }
      count += found.rows.count
      after = found.next
    } while after != nil && count <= rowsMax
    if count > rowsMax { table.addCut(after: rowsMax) }
  }

  /// What stands beside the link to a file.
  static let bound = BilingualText(
    "The file has at most \(CSVTable.rowsMax) rows.", "文件最多 \(CSVTable.rowsMax) 行。")
}
