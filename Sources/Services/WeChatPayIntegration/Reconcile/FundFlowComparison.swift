package import PaymentPrimitives
package import WeChatPayProtocol

/// One comparison of a fund-flow bill with the trade bill of the same day.
package struct FundFlowComparison {
  private typealias Finding = FundFlowReport.Finding

  private let span: Range<Timestamp>
  package private(set) var report = FundFlowReport(.compared)

  /// Time around midnight in which WeChat Pay may enter a payment on the neighbouring day.
  private static let midnight = TimeSpan.minutes(10)

  /// The comparison of a Beijing day, from one midnight to the next.
  package init(span: Range<Timestamp>) { self.span = span }

  /// The movements of one payment, refund or transfer.
  private struct Movements {
    var amounts: [FundFlowRow.Kind: Int64] = [:]
    var date: Timestamp
  }

  /// Compares line by line, and the balances with each other.
  ///
  /// - Parameter before: the balance after the day before, in fen; nil if it is unknown.
  package mutating func compare(_ bill: FundFlowBill, with trade: TradeBill, balanceBefore before: Int64?) {
    var movements: [String: Movements] = [:]
    for row in bill.rows {
      count(row)
      var known = movements[row.number] ?? Movements(date: row.date)
      if known.amounts[row.kind] != nil { add(.doubledLine, row) }
      known.amounts[row.kind, default: 0] += row.amount
      movements[row.number] = known
      if case .other(let word) = row.kind { add(.unknownMovement, row, details: word) }
    }
    for row in trade.rows { compare(row, &movements) }
    // Sorted, because a dictionary has no order.
    for (number, left) in movements.sorted(by: { $0.key < $1.key }) {
      for (kind, name) in [(FundFlowRow.Kind.payment, "payment"), (.refund, "refund")] {
        guard let amount = left.amounts[kind] else { continue }
        guard !isAtMidnight(left.date) else {
          report.atMidnight += 1
          continue
        }
        report.findings.append(
          Finding(kind: .notInTradeBill, number: number, flowAmount: amount, expectedAmount: nil, details: name))
      }
    }
    compareBalances(bill.rows, before: before)
  }

  /// Compares a line of the trade bill, and takes its movements away.
  private mutating func compare(_ row: TradeBillRow, _ movements: inout [String: Movements]) {
    let (number, kind, fee, expected): (String, FundFlowRow.Kind, FundFlowRow.Kind, Int64)
    switch row.event {
    case .payment: (number, kind, fee, expected) = (row.transactionId, .payment, .fee, row.settlementTotal)
    case .refund(let refund):
      (number, kind, fee, expected) = (refund.refundId, .refund, .returnedFee, -refund.amount)
    // The comparison with the ledger reports it.
    case .other: return
    }
    let amount = movements[number]?.amounts.removeValue(forKey: kind)
    let feeAmount = movements[number]?.amounts.removeValue(forKey: fee) ?? 0
    if amount == nil, expected != 0 {
      guard !isAtMidnight(row.date) else {
        report.atMidnight += 1
        return
      }
      report.findings.append(
        Finding(kind: .notInFundFlow, number: number, flowAmount: nil, expectedAmount: expected, details: nil))
      return
    }
    if let amount, amount != expected {
      report.findings.append(
        Finding(kind: .amountDiffers, number: number, flowAmount: amount, expectedAmount: expected, details: nil))
    }
    // The trade bill states parts of a fen, of which whole ones are taken.
    let units = -row.feeUnits
    guard abs(units - feeAmount * Self.unitsPerFen) >= Self.unitsPerFen else { return }
    report.findings.append(
      Finding(
        kind: .feeDiffers, number: number, flowAmount: feeAmount, expectedAmount: units / Self.unitsPerFen,
        details: nil))
  }

  private static let unitsPerFen: Int64 = 1000

  private func isAtMidnight(_ moment: Timestamp) -> Bool {
    moment < span.lowerBound + Self.midnight || moment >= span.upperBound - Self.midnight
  }

  private mutating func count(_ row: FundFlowRow) {
    switch row.kind {
    case .payment: report.payments.add(row.amount)
    case .refund: report.refunds.add(-row.amount)
    case .returnedRefund: report.returnedRefunds.add(row.amount)
    case .fee: report.fees.add(-row.amount)
    case .returnedFee: report.returnedFees.add(row.amount)
    case .topUp: report.topUps.add(row.amount)
    case .withdrawal: report.withdrawals.add(-row.amount)
    case .other: report.others.add(row.amount)
    }
  }

  // MARK: balances

  private mutating func compareBalances(_ rows: [FundFlowRow], before: Int64?) {
    // The file may begin with the newest line.
    let isDescending = zip(rows.prefix(1), rows.suffix(1)).contains { $0.date > $1.date }
    let ordered = isDescending ? rows.reversed() : rows
    guard let first = ordered.first, let last = ordered.last else {
      (report.opening, report.closing) = (before, before)
      return
    }
    let opening = first.balance - first.amount
    (report.opening, report.closing) = (opening, last.balance)
    if let before, before != opening { add(.balanceDiffers, first, expected: before + first.amount) }
    for (earlier, row) in zip(ordered, ordered.dropFirst()) where earlier.balance + row.amount != row.balance {
      add(.balanceDiffers, row, expected: earlier.balance + row.amount)
    }
  }

  private mutating func add(
    _ kind: FundFlowReport.Finding.Kind, _ row: FundFlowRow, expected: Int64? = nil, details: String? = nil
  ) {
    report.findings.append(
      Finding(
        kind: kind, number: row.number, flowAmount: kind == .balanceDiffers ? row.balance : row.amount,
        expectedAmount: expected, details: details))
  }

  // MARK: returned refunds

  /// Notes that the money of a refund came back, and that the refund is in another state here.
  mutating func addReturned(_ row: FundFlowRow, state: String) {
    add(.returnedRefundDiffers, row, details: "\(row.voucher) \(state)")
  }
}
