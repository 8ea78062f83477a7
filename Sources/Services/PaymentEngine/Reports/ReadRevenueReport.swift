import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Rows that are read at a time: the memory of a report does not grow with them.
  private static let reportPage = 500

  /// What an app sold and gave back in some days.
  ///
  /// The pages are read one after the other. A payment that arrives meanwhile may be in the report or not.
  /// - Throws: `ReportTooLarge`.
  package func readRevenueReport(_ request: RevenueReport.Request, of app: AppPolicy) async throws -> RevenueReport {
    var sums = RevenueSums(request, of: app, at: now)
    try await addPurchases(request, to: &sums)
    try await addCharges(request, to: &sums)
    let span = request.days.span
    try await eachStated(.takenBack, in: span, of: request.appEnvironment) { try sums.takenBack($0) }
    let later = span.lowerBound..<Timestamp(milliseconds: .max)
    try await eachStated(.periodEnd, in: later, of: request.appEnvironment) { try sums.period($0) }
    try await addRefunds(request, to: &sums)
    sums.gave(
      try await read { try $0.countOfPromotionalEntitlements(givenIn: span, in: request.appEnvironment) })
    try await addCredits(request, to: &sums)
    if app.sellsByOrder { try sums.compare(try await bills(request)) }
    return sums.finished()
  }

  /// Payments at the App Store, the newest first.
  private func addPurchases(_ request: RevenueReport.Request, to sums: inout RevenueSums) async throws {
    let span = request.days.span
    var query = PaymentQuery(appEnvironment: request.appEnvironment, charges: false, limit: Self.reportPage)
    query.boughtUntil = span.upperBound - .milliseconds(1)
    while true {
      try Task.checkCancellation()
      let asked = query
      let page = try await read { try $0.payments(asked) }
      for payment in page where payment.facts.purchaseDate >= span.lowerBound { try sums.sold(payment) }
      guard page.count == Self.reportPage, let last = page.last, last.facts.purchaseDate >= span.lowerBound else {
        return
      }
      query.before = PaymentPosition(of: last)
    }
  }

  /// Payments at WeChat Pay.
  private func addCharges(_ request: RevenueReport.Request, to sums: inout RevenueSums) async throws {
    let (span, appEnvironment) = (request.days.span, request.appEnvironment)
    var last: (date: Timestamp, transaction: TransactionIdentifier)?
    while true {
      try Task.checkCancellation()
      let after = last
      let page = try await read {
        try $0.charges(madeIn: span, after: after, in: appEnvironment, limit: Self.reportPage)
      }
      for payment in page { try sums.sold(payment) }
      guard page.count == Self.reportPage, let end = page.last else { return }
      last = (end.facts.purchaseDate, end.key.transaction)
    }
  }

  private func eachStated(
    _ time: StatedTime, in range: Range<Timestamp>, of appEnvironment: AppEnvironment, _ body: (Payment) throws -> Void
  ) async throws {
    var query = StatedTimeQuery(time, in: range, of: appEnvironment, limit: Self.reportPage)
    while true {
      try Task.checkCancellation()
      let asked = query
      let page = try await read { try $0.payments(asked) }
      for payment in page { try body(payment) }
      guard page.count == Self.reportPage else { return }
      query.last = page.last
    }
  }

  private func addRefunds(_ request: RevenueReport.Request, to sums: inout RevenueSums) async throws {
    let (span, appEnvironment) = (request.days.span, request.appEnvironment)
    let needsPayment = request.dimensions.contains(.product) || request.dimensions.contains(.storefront)
    var last: (date: Timestamp, number: String)?
    while true {
      try Task.checkCancellation()
      let after = last
      let page = try await read { reader in
        try reader.refunds(madeIn: span, after: after, in: appEnvironment, limit: Self.reportPage).map {
          (refund: $0, payment: needsPayment ? try reader.payment($0.payment) : nil)
        }
      }
      for row in page { try sums.refunded(row.refund, of: row.payment) }
      guard page.count == Self.reportPage, let end = page.last?.refund else { return }
      last = (end.createdAt, end.number)
    }
  }

  /// Units that users were given without a payment.
  private func addCredits(_ request: RevenueReport.Request, to sums: inout RevenueSums) async throws {
    for part in sums.spans {
      try Task.checkCancellation()
      let credits = try await read { try $0.sumsOfCredits(givenIn: part.span, in: request.appEnvironment) }
      try sums.credited(credits, in: part.period)
    }
  }

  // MARK: bills

  /// The compared bills of the days.
  private func bills(_ request: RevenueReport.Request) async throws -> [String: ComparedBill] {
    let records = try await listReconciliations(
      from: request.days.first, to: request.days.last, at: .weChatPay, in: request.appEnvironment)
    return records.reduce(into: [:]) { bills, record in bills[record.day] = ComparedBill(record) }
  }
}

extension AppPolicy {
  /// Whether it sells at a store whose bills are compared.
  fileprivate var sellsByOrder: Bool { chargeAccount != nil }
}
