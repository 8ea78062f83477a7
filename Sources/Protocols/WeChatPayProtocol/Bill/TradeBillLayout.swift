import PaymentPrimitives

/// The position of each column in one bill. Columns are found by name, never by position. WeChat Pay adds columns and
/// uses a different order for each kind of bill.
struct TradeBillLayout {
  private var places: [TradeBillColumn: Int] = [:]
  private var unknown: [(place: Int, name: String)] = []

  init(_ columns: [String]) throws(CodedError<BillErrorCode>) {
    for (place, name) in columns.enumerated() {
      guard let column = TradeBillColumn(name: name) else {
        unknown.append((place, name))
        continue
      }
      guard places.updateValue(place, forKey: column) == nil else {
        throw CodedError(.malformedHeader, "The column \(name) stands there twice.")
      }
    }
    for column in TradeBillColumn.required where places[column] == nil {
      throw CodedError(.malformedHeader, "The column \(column.rawValue) is missing.")
    }
  }

  func row(_ fields: [String], line: Int) throws(CodedError<BillErrorCode>) -> TradeBillRow {
    let reading = TradeBillLine(fields: fields, places: places, line: line)
    let settlementTotal = try reading.fen(.settlementTotal) ?? 0
    let subMchid = reading.stated(.subMchid)
    return TradeBillRow(
      line: line, date: try reading.date(.date), appid: reading.text(.appid), mchid: reading.text(.mchid),
      subMchid: subMchid == "0" ? nil : subMchid, transactionId: reading.text(.transactionId),
      outTradeNo: reading.text(.outTradeNo), openid: reading.text(.openid), tradeType: reading.text(.tradeType),
      bankType: reading.text(.bankType), currency: reading.text(.currency),
      // Bills of old accounts have only one amount column, and it states the order's amount.
      total: try reading.fen(.total) ?? settlementTotal, settlementTotal: settlementTotal,
      coupon: try reading.fen(.coupon) ?? 0, feeUnits: try reading.feeUnits(.fee), rate: reading.text(.rate),
      goodsName: reading.text(.goodsName), attach: reading.text(.attach), event: try event(reading),
      others: unknown.map { TradeBillRow.Other(name: $0.name, value: fields[$0.place]) })
  }

  private func event(_ reading: TradeBillLine) throws(CodedError<BillErrorCode>) -> TradeBillRow.Event {
    switch reading.text(.tradeState) {
    case "SUCCESS": return .payment
    case "REFUND":
      for column in TradeBillColumn.requiredOfRefunds where places[column] == nil {
        throw CodedError(.malformedHeader, "It has refunds, and the column \(column.rawValue) is missing.")
      }
      let amount = try reading.fen(.refundAmount) ?? 0
      return .refund(
        TradeBillRow.Refund(
          refundId: reading.text(.refundId), outRefundNo: reading.text(.outRefundNo), amount: amount,
          requested: try reading.fen(.refundRequested) ?? amount, coupon: try reading.fen(.refundCoupon) ?? 0,
          type: reading.text(.refundType), status: reading.text(.refundStatus),
          appliedDate: try reading.optionalDate(.refundApplied),
          successDate: try reading.optionalDate(.refundSucceeded)))
    case let word: return .other(word)
    }
  }
}

/// The fields of one line, read by column.
struct TradeBillLine {
  let fields: [String]
  let places: [TradeBillColumn: Int]
  let line: Int

  /// The value of a column; nil if the bill has no such column, or if the field is empty.
  func stated(_ column: TradeBillColumn) -> String? {
    guard let place = places[column], !fields[place].isEmpty else { return nil }
    return fields[place]
  }

  func text(_ column: TradeBillColumn) -> String { stated(column) ?? "" }

  func fen(_ column: TradeBillColumn) throws(CodedError<BillErrorCode>) -> Int64? {
    guard let text = stated(column) else { return nil }
    guard let fen = BillAmount.fen(text) else { throw amount(column) }
    return fen
  }

  func feeUnits(_ column: TradeBillColumn) throws(CodedError<BillErrorCode>) -> Int64 {
    guard let units = BillAmount.feeUnits(text(column)) else { throw amount(column) }
    return units
  }

  func optionalDate(_ column: TradeBillColumn) throws(CodedError<BillErrorCode>) -> Timestamp? {
    guard let text = stated(column) else { return nil }
    guard let date = BeijingTime.moment(billText: text) else {
      throw CodedError(.malformedLine, "Line \(line): \(column.rawValue) is no date.")
    }
    return date
  }

  func date(_ column: TradeBillColumn) throws(CodedError<BillErrorCode>) -> Timestamp {
    guard let date = try optionalDate(column) else {
      throw CodedError(.malformedLine, "Line \(line): \(column.rawValue) is empty.")
    }
    return date
  }

  private func amount(_ column: TradeBillColumn) -> CodedError<BillErrorCode> {
    CodedError(.malformedAmount, "Line \(line): \(column.rawValue) is no amount.")
  }
}
