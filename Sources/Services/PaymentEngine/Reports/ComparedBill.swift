import PaymentModel
import PaymentPrimitives
import StrictJSON

/// What a compared bill says of one day, in fen.
struct ComparedBill {
  var payments: Int64
  var refunds: Int64
  /// Nil if an earlier version compared it.
  var deduction: BillDeduction?
  var findings: [RevenueReport.Difference]
}

/// What WeChat Pay does not hand over of the sales of some days, in fen.
struct BillDeduction {
  var fees: Int64 = 0
  /// What coupons paid that the merchant had not paid in.
  var coupons: Int64 = 0

  mutating func add(_ other: Self) {
    fees += other.fees
    coupons += other.coupons
  }
}

extension ComparedBill {
  /// Nil before the comparison has ended once.
  init?(_ record: ReconciliationRecord) {
    guard let report = record.report.flatMap({ try? JSONReader.read($0.utf8) }),
      let payments = report["payments"]?["amount"]?.integer, let refunds = report["refunds"]?["amount"]?.integer
    else { return nil }
    self.payments = payments
    self.refunds = refunds
    if let fees = report["fees"]?["amount"]?.integer, let coupons = report["coupons"]?["amount"]?.integer {
      deduction = BillDeduction(fees: fees, coupons: coupons)
    }
    let found = (report["findings"]?.array ?? []) + (report["fundFlow"]?["findings"]?.array ?? [])
    // What is not granted is known here better than on the day of the comparison, and is named with its own amount.
    let rest = found.filter {
      $0["healed"]?.bool != true && $0["kind"]?.string != RevenueReport.Difference.Kind.notGranted.rawValue
    }
    findings = rest.map { RevenueReport.Difference(finding: $0, of: record) }
  }
}

extension RevenueReport.Difference {
  /// What a comparison found, under the names of its report.
  init(finding: JSONValue, of record: ReconciliationRecord) {
    self.init(finding["kind"]?.string ?? "unknownEvent", at: record.store)
    day = record.day
    transaction = finding["transactionId"]?.string ?? finding["number"]?.string
    refund = finding["refund"]?.string
    theirs = finding["billAmount"]?.integer ?? finding["flowAmount"]?.integer
    ours = finding["ourAmount"]?.integer
    let expected = finding["expectedAmount"].map { Self.expectedInFundFlow + $0.text }
    details = finding["details"]?.string ?? expected
    currency = CurrencyCode.cny.code
  }
}
