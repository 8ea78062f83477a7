package import PaymentPrimitives

/// A trade bill: all payments and refunds of one merchant on one Beijing day, read and added up.
///
/// A file whose lines do not add up to its own summary is refused as a whole: it was cut off, and a payment that is
/// not in it would look like one that was never made. Bills of `ALL`, `SUCCESS` and `REFUND` are read, and what comes
/// to them later as further columns. The fund-flow bill is another file; it will be read beside this one.
package struct TradeBill: Hashable, Sendable {
  /// Its lines, in their order.
  package let rows: [TradeBillRow]
  /// The names of its columns, in their order, as they came.
  package let columns: [String]
  /// The names and values of its summary, as they came.
  package let summary: [TradeBillRow.Other]

  /// Of all payments, what the orders were opened for, in fen.
  package var paymentTotal: Int64 { rows.reduce(0) { $1.event == .payment ? $0 + $1.total : $0 } }

  /// Of all refunds, what was asked for, in fen.
  package var refundTotal: Int64 {
    rows.reduce(0) { sum, row in
      sum + (row.refund?.requested ?? 0)
    }
  }

  /// A bill of a day without any line, as `NO_STATEMENT_EXIST` after 10:00 of the next day says.
  package static let empty = TradeBill(rows: [], columns: [], summary: [])

  init(rows: [TradeBillRow], columns: [String], summary: [TradeBillRow.Other]) {
    self.rows = rows
    self.columns = columns
    self.summary = summary
  }

  /// Reads a file, which may be of any size that fits into memory: it was downloaded within a bound.
  ///
  /// - Throws: what is wrong, with its line.
  package init(_ file: [UInt8]) throws(CodedError<TradeBillErrorCode>) {
    var reader = TradeBillReader(file)
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

/// What the lines of a bill add up to, held against what the bill itself says.
private struct TradeBillSums {
  private let count: Int
  private var units: [String: Int64] = [:]

  init(_ rows: [TradeBillRow]) throws(CodedError<TradeBillErrorCode>) {
    count = rows.count
    let perFen = BillAmount.unitsPerFen
    let settlement = try Self.sum(rows) { $0.settlementTotal }
    let coupon = try Self.sum(rows) { $0.coupon }
    let total = try Self.sum(rows) { $0.total }
    let refund = try Self.sum(rows) { $0.refund?.amount ?? 0 }
    let refundCoupon = try Self.sum(rows) { $0.refund?.coupon ?? 0 }
    let requested = try Self.sum(rows) { $0.refund?.requested ?? 0 }
    // Old accounts have other names for the same sums.
    for (name, sum) in [
      ("应结订单总金额", settlement), ("总交易额", settlement), ("代金券总金额", coupon), ("订单总金额", total),
      ("退款总金额", refund), ("总退款金额", refund), ("充值券退款总金额", refundCoupon),
      ("总企业红包退款金额", refundCoupon), ("申请退款总金额", requested),
    ] { units[name] = sum * perFen }
    units["手续费总金额"] = try Self.sum(rows, perUnit: 1) { $0.feeUnits }
  }

  /// A sum that neither it nor any part of it can overflow, whatever a file says.
  private static func sum(
    _ rows: [TradeBillRow], perUnit: Int64 = BillAmount.unitsPerFen, _ amount: (TradeBillRow) -> Int64
  ) throws(CodedError<TradeBillErrorCode>) -> Int64 {
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

  /// Each sum that the bill states and this version knows must be the one of its lines; the number of lines must be
  /// stated.
  func check(_ summary: [TradeBillRow.Other]) throws(CodedError<TradeBillErrorCode>) {
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
      // Sums of fees are sometimes written with fewer decimals than the fees: then they are rounded.
      let tolerance = field.name == "手续费总金额" ? BillAmount.roundingOf(field.value) : 0
      guard abs(stated - sum) <= tolerance else {
        throw CodedError(.sumsDiffer, "The lines do not add up to \(field.name).")
      }
    }
  }
}
