package import PaymentPrimitives

/// A trade bill: all payments and refunds of one merchant on one Beijing day, with verified sums.
///
/// A file is rejected as a whole if its rows do not match its own summary. It may be truncated, and a missing payment
/// would look as if it was never made. The kinds `ALL`, `SUCCESS` and `REFUND` are supported, also with additional
/// columns. The fund-flow bill is another file: `FundFlowBill`.
package struct TradeBill: Hashable, Sendable {
  /// The rows in the order of the file.
  package let rows: [TradeBillRow]
  /// The column names in the order of the file, unchanged.
  package let columns: [String]
  /// The names and values of the summary, unchanged.
  package let summary: [TradeBillRow.Other]

  /// The sum of the order amounts of all payments, in fen.
  package var paymentTotal: Int64 { rows.reduce(0) { $1.event == .payment ? $0 + $1.total : $0 } }

  /// The sum of the requested amounts of all refunds, in fen.
  package var refundTotal: Int64 {
    rows.reduce(0) { sum, row in
      sum + (row.refund?.requested ?? 0)
    }
  }

  /// The bill of a day without rows. `NO_STATEMENT_EXIST` after 10:00 of the next day means such a bill.
  package static let empty = TradeBill(rows: [], columns: [], summary: [])

  init(rows: [TradeBillRow], columns: [String], summary: [TradeBillRow.Other]) {
    self.rows = rows
    self.columns = columns
    self.summary = summary
  }

  /// Reads a file of any size that fits into memory: the download has a size limit.
  ///
  /// - Throws: the problem, with its line number.
  package init(_ file: [UInt8]) throws(CodedError<BillErrorCode>) {
    var reader = BillReader(file)
    columns = try reader.header()
    let layout = try TradeBillLayout(columns)
    var rows: [TradeBillRow] = []
    while let fields = try reader.row(columnCount: columns.count) {
      rows.append(try layout.row(fields, line: reader.lineNumber))
    }
    self.rows = rows
    summary = try reader.summary()
    try TradeBillSums(rows).check(summary)
  }
}

/// The sums of a bill's rows, for comparison with the bill's summary.
private struct TradeBillSums {
  private let count: Int
  private var units: [String: Int64] = [:]

  init(_ rows: [TradeBillRow]) throws(CodedError<BillErrorCode>) {
    count = rows.count
    let perFen = BillAmount.unitsPerFen
    let settlement = try Self.sum(rows) { $0.settlementTotal }
    let coupon = try Self.sum(rows) { $0.coupon }
    let total = try Self.sum(rows) { $0.total }
    let refund = try Self.sum(rows) { $0.refund?.amount ?? 0 }
    let refundCoupon = try Self.sum(rows) { $0.refund?.coupon ?? 0 }
    let requested = try Self.sum(rows) { $0.refund?.requested ?? 0 }
    // Bills of old accounts use other names for the same sums.
    for (name, sum) in [
      ("应结订单总金额", settlement), ("总交易额", settlement), ("代金券总金额", coupon), ("订单总金额", total),
      ("退款总金额", refund), ("总退款金额", refund), ("充值券退款总金额", refundCoupon),
      ("总企业红包退款金额", refundCoupon), ("申请退款总金额", requested),
    ] { units[name] = sum * perFen }
    units["手续费总金额"] = try Self.sum(rows, perUnit: 1) { $0.feeUnits }
  }

  /// A sum without overflow: the sum and its parts are checked against a bound, whatever the file contains.
  private static func sum(
    _ rows: [TradeBillRow], perUnit: Int64 = BillAmount.unitsPerFen, _ amount: (TradeBillRow) -> Int64
  ) throws(CodedError<BillErrorCode>) -> Int64 {
    let bound = UInt64(Int64.max / 4 / perUnit)
    var magnitude: UInt64 = 0
    var sum: Int64 = 0
    for row in rows {
      let amount = amount(row)
      magnitude += amount.magnitude
      guard amount.magnitude <= bound, magnitude <= bound else {
        throw CodedError(.malformedAmount, "Line \(row.line): the sum is beyond all money.")
      }
      sum += amount
    }
    return sum
  }

  /// Compares each known sum of the summary with the sum of the rows. The summary must state the number of rows.
  func check(_ summary: [TradeBillRow.Other]) throws(CodedError<BillErrorCode>) {
    guard let stated = summary.first(where: { $0.name == "总交易单数" }) else {
      throw CodedError(.incomplete, "The summary does not say how many lines there are.")
    }
    guard BillAmount.count(stated.value) == count else {
      throw CodedError(.incomplete, "It has \(count) lines, and its summary states another number.")
    }
    for field in summary {
      guard let sum = units[field.name] else { continue }
      guard let stated = BillAmount.feeUnits(field.value) else {
        throw CodedError(.malformedAmount, "The sum \(field.name) is no amount.")
      }
      // The sum of fees sometimes has fewer decimals than the fees, so it is rounded.
      let tolerance = field.name == "手续费总金额" ? BillAmount.roundingOf(field.value) : 0
      guard abs(stated - sum) <= tolerance else {
        throw CodedError(.sumsDiffer, "The lines do not add up to \(field.name).")
      }
    }
  }
}
