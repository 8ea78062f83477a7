package import PaymentPrimitives

/// A fund-flow bill: all changes of the balance of one account of a merchant on one Beijing day, with verified sums.
///
/// A file is rejected as a whole if its rows do not match its own summary, as a trade bill is.
package struct FundFlowBill: Hashable, Sendable {
  /// The rows in the order of the file.
  package let rows: [FundFlowRow]

  /// The bill of a day without rows.
  package static let empty = FundFlowBill(rows: [])

  init(rows: [FundFlowRow]) { self.rows = rows }

  /// Reads a file of any size that fits into memory: the download has a size limit.
  ///
  /// - Throws: the problem, with its line number.
  package init(_ file: [UInt8]) throws(CodedError<BillErrorCode>) {
    var reader = BillReader(file)
    let columns = try reader.header()
    var places: [FundFlowColumn: Int] = [:]
    for (place, name) in columns.enumerated() {
      guard let column = FundFlowColumn(rawValue: Self.plain(name)) else { continue }
      guard places.updateValue(place, forKey: column) == nil else {
        throw CodedError(.malformedHeader, "The column \(name) stands there twice.")
      }
    }
    for column in FundFlowColumn.allCases where places[column] == nil {
      throw CodedError(.malformedHeader, "The column \(column.rawValue) is missing.")
    }
    var rows: [FundFlowRow] = []
    while let fields = try reader.row(columnCount: columns.count) {
      rows.append(try FundFlowLine(fields: fields, places: places, line: reader.lineNumber).row())
    }
    self.rows = rows
    try Self.check(rows, try reader.summary())
  }

  /// Full-width parentheses count as ASCII ones: both occur.
  private static func plain(_ name: String) -> String {
    String(name.map { $0 == "（" ? "(" : $0 == "）" ? ")" : $0 })
  }

  private static func check(
    _ rows: [FundFlowRow], _ summary: [TradeBillRow.Other]
  ) throws(CodedError<BillErrorCode>) {
    let (incomes, expenses) = (rows.filter { $0.amount > 0 }, rows.filter { $0.amount < 0 })
    let income = try sum(incomes)
    let expense = try sum(expenses)
    var counted = false
    for field in summary {
      switch field.name {
      case "资金流水总笔数":
        guard BillAmount.count(field.value) == rows.count else {
          throw CodedError(.incomplete, "It has \(rows.count) lines, and its summary states another number.")
        }
        counted = true
      case "收入笔数": try equal(BillAmount.count(field.value).map(Int64.init), Int64(incomes.count), of: field.name)
      case "支出笔数": try equal(BillAmount.count(field.value).map(Int64.init), Int64(expenses.count), of: field.name)
      case "收入金额": try equal(BillAmount.fen(field.value), income, of: field.name)
      case "支出金额": try equal(BillAmount.fen(field.value), -expense, of: field.name)
      default: break
      }
    }
    guard counted else { throw CodedError(.incomplete, "The summary does not say how many lines there are.") }
  }

  private static func equal(_ stated: Int64?, _ sum: Int64, of name: String) throws(CodedError<BillErrorCode>) {
    guard stated == sum else { throw CodedError(.sumsDiffer, "The lines do not add up to \(name).") }
  }

  private static func sum(_ rows: [FundFlowRow]) throws(CodedError<BillErrorCode>) -> Int64 {
    var sum: Int64 = 0
    for row in rows {
      let (next, overflows) = sum.addingReportingOverflow(row.amount)
      guard !overflows else { throw CodedError(.malformedAmount, "Line \(row.line): the sum is beyond all money.") }
      sum = next
    }
    return sum
  }
}

/// The fields of one line, read by column.
private struct FundFlowLine {
  let fields: [String]
  let places: [FundFlowColumn: Int]
  let line: Int

  private func text(_ column: FundFlowColumn) -> String { places[column].map { fields[$0] } ?? "" }

  private func fen(_ column: FundFlowColumn) throws(CodedError<BillErrorCode>) -> Int64 {
    guard let fen = BillAmount.fen(text(column)) else {
      throw CodedError(.malformedAmount, "Line \(line): \(column.rawValue) is no amount.")
    }
    return fen
  }

  func row() throws(CodedError<BillErrorCode>) -> FundFlowRow {
    guard let date = BeijingTime.moment(billText: text(.date)) else {
      throw CodedError(.malformedLine, "Line \(line): \(FundFlowColumn.date.rawValue) is no date.")
    }
    let amount = try fen(.amount)
    let sign: Int64
    switch text(.direction) {
    case "收入": sign = 1
    case "支出": sign = -1
    default: throw CodedError(.malformedLine, "Line \(line): it is neither income nor expense.")
    }
    guard amount >= 0 else { throw CodedError(.malformedAmount, "Line \(line): its amount has a sign.") }
    return FundFlowRow(
      line: line, date: date, number: text(.number), flowNumber: text(.flowNumber),
      kind: FundFlowRow.Kind(word: text(.kind)), amount: sign * amount, balance: try fen(.balance),
      voucher: text(.voucher), note: text(.note))
  }
}
