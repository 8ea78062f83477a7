import PaymentDatabase
import PaymentModel
package import PaymentPrimitives
import StrictJSON

extension PaymentEngine {
  /// How long a contradiction, or a day that differs, stays in the queue: WeChat Pay keeps its bills that long.
  static let attentionSpan = TimeSpan.days(92)

  /// Everything that needs an operator's attention in an app, the longest waiting first; what has no known start comes
  /// last.
  ///
  /// - Parameters:
  ///   - appEnvironments: the app's environments; one that is not determined included.
  ///   - kinds: which kinds; nil for all.
  package func needsAttention(
    of app: AppPolicy, in appEnvironments: [AppEnvironment], kinds: Set<AttentionItem.Kind>?, limit: Int
  ) async throws -> [AttentionItem] {
    var items: [AttentionItem] = []
    @Sendable func wants(_ kind: AttentionItem.Kind) -> Bool { kinds?.contains(kind) ?? true }
    if wants(.payment) {
      items += try await operatorQueue(in: appEnvironments, limit: limit).compactMap { AttentionItem($0) }
    }
    if wants(.stoppedChange) {
      items += try await stoppedChanges(in: appEnvironments, limit: limit).map { AttentionItem($0) }
    }
    if wants(.disputedRefund) {
      items += try await disputedRefunds(in: appEnvironments, limit: limit).map { AttentionItem(disputed: $0) }
    }
    if wants(.configuration) {
      items += try await configurationGaps(of: app.id).map { AttentionItem($0, app) }
      items += try await grantsOfUnknownPromise(in: appEnvironments, limit: limit).map { AttentionItem(promiseOf: $0) }
    }
    let now = self.now
    items += try await read { reader in
      let queue = AttentionReader(reader: reader, now: now, limit: limit)
      var items = try appEnvironments.flatMap { try queue.rows(in: $0) }
      items += try queue.parkedForwards(of: app.id)
      if let gap = try Self.backupGap(in: reader), gap.isShown(at: now) {
        items.append(AttentionItem(gap, app))
      }
      return items.filter { wants($0.kind) }
    }
    if wants(.uncomparedDay) {
      let since = try await backupGap()?.until
      items += try await uncomparedDays(of: app).map { AttentionItem($0, since: since) }
    }
    func place(_ item: AttentionItem) -> Int64 { item.since?.milliseconds ?? .max }
    return Array(
      items.enumerated().sorted { (place($0.element), $0.offset) < (place($1.element), $1.offset) }
        .prefix(max(0, limit)).map(\.element))
  }
}

/// Reads what waits besides payments and stopped changes.
private struct AttentionReader {
  let reader: any DatabaseReader
  let now: Timestamp
  let limit: Int

  private var since: Timestamp { now - PaymentEngine.attentionSpan }

  func rows(in appEnvironment: AppEnvironment) throws -> [AttentionItem] {
    let contradicted = try reader.journal(
      telling: .chargeContradicted, since: since, in: appEnvironment, limit: limit)
    var parked = DeliveryQuery(appEnvironment: appEnvironment, selection: .parked, limit: limit)
    parked.after = nil
    return try contradicted.map { AttentionItem(contradicted: $0) }
      + reader.refundsStuck(in: appEnvironment, limit: limit).map { AttentionItem($0) }
      + reader.deliveries(parked).map { AttentionItem($0) }
      + reader.frozenOrders(in: appEnvironment, limit: limit).map { AttentionItem($0) }
      + reader.openComplaints(in: appEnvironment, limit: limit).map { AttentionItem($0) }
      + reader.frozenBalances(in: appEnvironment, limit: limit).map { AttentionItem($0) }
      + Store.allCases.flatMap { try differences(at: $0, in: appEnvironment) }
  }

  /// The days that still differ.
  private func differences(at store: Store, in appEnvironment: AppEnvironment) throws -> [AttentionItem] {
    try reader.reconciliations(
      from: since.utcDay, to: "9999-99-99", at: store, in: appEnvironment, limit: PaymentEngine.listedMax
    ).compactMap { record in
      let report = record.report.flatMap { try? JSONReader.read($0.utf8) }
      guard let count = report?["differences"]?.integer, count > 0 else { return nil }
      return AttentionItem(record, report ?? .null, count: count)
    }
  }

  /// A forward that is parked is older than those that are still tried.
  func parkedForwards(of app: AppIdentifier) throws -> [AttentionItem] {
    try reader.openForwards(of: app, limit: limit).filter { $0.state != .pending }.map { AttentionItem($0) }
  }
}

extension AttentionItem {
  /// Nil for a payment that does not wait.
  fileprivate init?(_ payment: Payment) {
    guard let resolution = payment.state.resolution else { return nil }
    let name =
      if case .held(let reason) = payment.state { "held(\(reason.rawValue))" } else { payment.state.name }
    self.init(
      .payment, in: payment.key.appEnvironment, since: payment.firstSeenAt,
      row: OperatorQueueTable.Row(name: name, resolution: resolution))
    self.payment = payment.key
    order = payment.order ?? payment.facts.token
    user = payment.owner ?? payment.presenter
    amount = payment.facts.price.map { .statedPrice($0) }
  }

  fileprivate init(_ stopped: StoppedChange) {
    self.init(
      .stoppedChange, in: stopped.payment.appEnvironment, since: stopped.firstSeenAt,
      row: OperatorQueueTable.Row(name: "stopped(\(stopped.kind.rawValue))", resolution: stopped.kind.resolution))
    payment = stopped.payment
    order = stopped.orders.first
    user = stopped.presenters.first
    finding = .text(stopped.found)
  }

  fileprivate init(disputed payment: Payment) {
    self.init(
      .disputedRefund, in: payment.key.appEnvironment, since: payment.idsDisagreeSince ?? payment.firstSeenAt,
      row: OperatorQueueTable.disputedRow)
    self.payment = payment.key
    order = payment.order
    user = payment.owner
    amount = payment.facts.price.map { .statedPrice($0) }
  }

  fileprivate init(contradicted entry: JournalEntry) {
    self.init(
      .contradictedCharge, in: entry.appEnvironment, since: entry.at, row: OperatorQueueTable.contradictedRow)
    payment = entry.payment
    order = entry.order
  }

  fileprivate init(_ refund: Refund) {
    self.init(.stuckRefund, in: refund.appEnvironment, since: refund.createdAt, row: OperatorQueueTable.stuckRow)
    payment = refund.payment
    order = refund.order
    subject = refund.number
    amount = .money(refund.amount)
  }

  fileprivate init(_ delivery: Delivery) {
    self.init(
      .parkedDelivery, in: delivery.payment.appEnvironment, since: delivery.createdAt,
      row: OperatorQueueTable.parkedRow)
    payment = delivery.payment
    order = delivery.order
    subject = delivery.id.text
    finding = delivery.lastProblem.map { .text($0) }
  }

  fileprivate init(_ forward: NotificationForward) {
    self.init(
      .parkedForward, in: forward.appEnvironment, since: forward.createdAt, row: OperatorQueueTable.forwardRow)
    subject = forward.notification
    finding = forward.lastProblem.map { .text($0) }
  }

  fileprivate init(_ order: Order) {
    self.init(
      .frozenOrder, in: order.key.appEnvironment, since: order.createdAt, row: OperatorQueueTable.frozenOrderRow)
    self.order = order.key.id
    user = order.user
    payment = order.state.payment
    finding = order.frozenBecause.map { .text($0) }
  }

  init(_ complaint: Complaint) {
    self.init(
      .complaint, in: complaint.appEnvironment, since: complaint.begunAt, row: OperatorQueueTable.complaintRow)
    order = complaint.order
    user = complaint.user
    subject = complaint.id
    finding = complaint.due.map { .due($0) }
  }

  fileprivate init(_ balance: Balance) {
    self.init(
      .frozenBalance, in: balance.appEnvironment, since: balance.frozenSince,
      row: OperatorQueueTable.frozenBalanceRow)
    user = balance.user
    amount = .units(balance.amount, balance.unit)
  }

  fileprivate init(_ record: ReconciliationRecord, _ report: JSONValue, count: Int64) {
    self.init(
      .reconciliationDifference, in: record.appEnvironment, since: record.triedAt,
      row: OperatorQueueTable.differenceRow)
    store = record.store
    subject = record.day
    let open = (report["findings"]?.array ?? []).filter { $0["healed"]?.bool == false }
    let kinds = Set(open.compactMap { $0["kind"]?.string }).subtracting(["notGranted"]).sorted()
    finding = .differences(count, kinds: kinds)
  }

  fileprivate init(_ day: UncomparedDay, since moment: Timestamp?) {
    self.init(.uncomparedDay, in: day.appEnvironment, since: moment, row: OperatorQueueTable.uncomparedRow)
    store = day.store
    subject = day.day
  }

  fileprivate init(_ gap: BackupGap, _ app: AppPolicy) {
    self.init(.backupGap, in: app.homeEnvironment, since: gap.until, row: OperatorQueueTable.backupGapRow)
    subject = gap.from.iso8601 + " – " + gap.until.iso8601
  }

  fileprivate init(_ gap: ConfigurationGap, _ app: AppPolicy) {
    self.init(
      .configuration, in: app.homeEnvironment, since: nil, row: OperatorQueueTable.configurationRow(gap.name))
    subject = gap.subject
    finding = .words(gap.text)
  }

  fileprivate init(promiseOf grant: Grant) {
    self.init(
      .configuration, in: grant.payment.appEnvironment, since: grant.grantedAt,
      row: OperatorQueueTable.configurationRow("promiseUnknown"))
    payment = grant.payment
    user = grant.user
    subject = grant.promise.product.text
  }
}
