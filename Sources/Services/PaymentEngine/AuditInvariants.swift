package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// The scope and the result of an audit.
package struct AuditReport: Hashable, Sendable {
  package var orders = 0
  package var payments = 0
  package var balances = 0
  package var paymentsByState: [String: Int] = [:]
  /// Changes of money that were stopped and still have to take effect.
  package var stopped = 0
  /// Deliveries that are not acknowledged yet.
  package var deliveriesOpen = 0
  package var violations: [Violation] = []

  /// Whether there was nothing to audit.
  package var isEmpty: Bool { orders == 0 && payments == 0 && balances == 0 && deliveriesOpen == 0 }

  package init() {}
}

extension PaymentEngine {
  /// Checks every row against the invariants of money. Reads only; may run beside a working server.
  ///
  /// - Parameters:
  ///   - app: the app to audit; nil for all apps.
  ///   - atRest: also checks that nothing is incomplete; for a system without work in progress.
  package func auditInvariants(of app: AppIdentifier? = nil, atRest: Bool) async throws -> AuditReport {
    try await PaymentAudit(app: app, page: limits.auditPage, atRest: atRest).run { body in try await read(body) }
  }
}

/// The audit of a database: it pages through all rows, or through those of one app. In key order these are
/// contiguous.
package struct PaymentAudit: Sendable {
  private let app: AppIdentifier?
  private let page: Int
  private let atRest: Bool

  /// An audit.
  ///
  /// - Parameters:
  ///   - app: the app to audit; nil for all apps.
  ///   - page: rows read in one transaction.
  ///   - atRest: also checks that nothing is incomplete; for a system without work in progress.
  package init(app: AppIdentifier? = nil, page: Int = 500, atRest: Bool) {
    self.app = app
    self.page = page
    self.atRest = atRest
  }

  /// Audits a database that may be in use: each page is one consistent state.
  package func run(on database: any ReadableDatabase) async throws -> AuditReport {
    try await run { body in try await database.read(body) }
  }

  func run(
    _ read: (@escaping @Sendable (any DatabaseReader) throws -> AuditPage) async throws -> AuditPage
  ) async throws -> AuditReport {
    var report = AuditReport()
    var appEnvironments: Set<AppEnvironment> = []
    let first = app.map { AppEnvironment(app: $0, environment: StoreEnvironment.allCases.min() ?? .production) }
    var lastPayment = first.map {
      PaymentKey(app: $0.app, store: .appStore, environment: $0.environment, transaction: "")
    }
    repeat {
      let (after, audit) = (lastPayment, self)
      let page = try await read { try audit.payments(after: after, $0) }
      page.add(to: &report)
      appEnvironments.formUnion(page.appEnvironments)
      lastPayment = page.lastPayment
    } while lastPayment != nil
    var lastOrder = first.map { OrderKey(appEnvironment: $0, id: OrderIdentifier(high: 0, low: 0)) }
    repeat {
      let (after, audit) = (lastOrder, self)
      let page = try await read { try audit.orders(after: after, $0) }
      page.add(to: &report)
      lastOrder = page.lastOrder
    } while lastOrder != nil
    var lastBalance = first.map { Balance(appEnvironment: $0, user: "", unit: "", amount: 0) }
    repeat {
      let (after, audit) = (lastBalance, self)
      let page = try await read { try audit.balances(after: after, $0) }
      page.add(to: &report)
      lastBalance = page.lastBalance
    } while lastBalance != nil
    try await read { try self.ledger($0) }.add(to: &report)
    for appEnvironment in appEnvironments.sorted() {
      try await read { try self.stopped(in: appEnvironment, $0) }.add(to: &report)
    }
    return report
  }

  private func isMine(_ app: AppIdentifier) -> Bool { self.app == nil || self.app == app }

  private func payments(
    after key: PaymentKey?, _ reader: any DatabaseReader
  ) throws -> AuditPage {
    var page = AuditPage()
    let payments = try reader.payments(after: key, limit: self.page).filter { isMine($0.key.app) }
    for payment in payments {
      var rows = try PaymentRows(of: payment, in: reader)
      let deliveries = try reader.deliveries(of: payment.key)
      rows.deliveries = deliveries.map { .init(kind: $0.kind, sequence: $0.sequence) }
      page.violations += rows.violations
      page.report.deliveriesOpen += deliveries.count {
        if case .acknowledged = $0.state { false } else { true }
      }
      page.report.paymentsByState[payment.state.name, default: 0] += 1
      if rows.grant.map({ $0.promise.rule == nil }) == true {
        page.violations.append(
          Violation(.grantHasPayment, payment: payment.key, found: "nothing says what its grant was promised to be"))
      }
      if atRest, payment.state == .verified {
        page.violations.append(
          Violation(.atRestNothingIsLost, payment: payment.key, found: "verified, but nothing followed"))
      }
      if rows.grant != nil, try reader.duplicate(payment.key) != nil {
        page.violations.append(
          Violation(.onePaymentOneOrderOneGrant, payment: payment.key, found: "a duplicate of a payment has a grant"))
      }
      if try reader.evidence(of: payment.key).isEmpty {
        page.violations.append(
          Violation(.grantHasPayment, payment: payment.key, found: "no evidence is kept for it"))
      }
    }
    page.appEnvironments = Set(payments.map(\.key.appEnvironment))
    page.report.payments = payments.count
    page.lastPayment = payments.count < self.page ? nil : payments.last?.key
    return page
  }

  private func orders(after key: OrderKey?, _ reader: any DatabaseReader) throws -> AuditPage {
    var page = AuditPage()
    let orders = try reader.orders(after: key, limit: self.page).filter { isMine($0.key.appEnvironment.app) }
    for order in orders {
      guard let paidBy = order.state.payment else { continue }
      let payment = try reader.payment(paidBy)
      if payment?.order != order.key.id {
        page.violations.append(
          Violation(
            .onePaymentOneOrderOneGrant, payment: paidBy, order: order.key,
            found: payment == nil ? "paid by a payment that does not exist" : "paid by a payment that pays another"))
      }
    }
    page.report.orders = orders.count
    page.lastOrder = orders.count < self.page ? nil : orders.last?.key
    return page
  }

  private func balances(after balance: Balance?, _ reader: any DatabaseReader) throws -> AuditPage {
    var page = AuditPage()
    let balances = try reader.balances(after: balance, limit: self.page).filter { isMine($0.appEnvironment.app) }
    for balance in balances {
      let sum = try reader.sumOfPostings(of: balance.user, unit: balance.unit, in: balance.appEnvironment)
      if sum != balance.amount {
        page.violations.append(
          Violation(
            .onePaymentOneOrderOneGrant,
            found: "a balance of \(balance.unit) says \(balance.amount), its postings say \(sum)"))
      }
    }
    page.report.balances = balances.count
    page.lastBalance = balances.count < self.page ? nil : balances.last
    return page
  }

  private func stopped(in appEnvironment: AppEnvironment, _ reader: any DatabaseReader) throws -> AuditPage {
    var page = AuditPage()
    page.report.stopped = try reader.countOfStoppedChanges(in: appEnvironment).reduce(0) { $0 + $1.count }
    return page
  }

  /// Checks that the ledger is balanced: the balances of users against all other accounts.
  private func ledger(_ reader: any DatabaseReader) throws -> AuditPage {
    var page = AuditPage()
    for sum in try reader.ledgerSums(of: app) where !sum.isEven {
      page.violations.append(
        Violation(
          .onePaymentOneOrderOneGrant,
          found: "all balances of \(sum.unit) say \(sum.balances), the other accounts \(sum.otherAccounts)"))
    }
    return page
  }
}

extension PaymentRows {
  /// The rows of a payment as they are stored, without its deliveries.
  init(of payment: Payment, in reader: any DatabaseReader) throws {
    self.init(payment: payment)
    order = try payment.order.flatMap {
      try reader.order(OrderKey(appEnvironment: payment.key.appEnvironment, id: $0))
    }
    weChatPayOrder = try reader.promise(behind: payment, order)
    grant = try reader.grant(payment.key)
    changes = try reader.changes(of: payment.key)
    postings = try reader.postings(of: payment.key)
    formerUsers = try reader.formerUsers(of: grant, in: postings)
  }
}

/// The findings of one page of the audit.
struct AuditPage: Sendable {
  var report = AuditReport()
  var violations: [Violation] = []
  var appEnvironments: Set<AppEnvironment> = []
  var lastPayment: PaymentKey?
  var lastOrder: OrderKey?
  var lastBalance: Balance?

  func add(to total: inout AuditReport) {
    total.orders += report.orders
    total.payments += report.payments
    total.balances += report.balances
    total.stopped += report.stopped
    total.deliveriesOpen += report.deliveriesOpen
    total.paymentsByState.merge(report.paymentsByState) { $0 + $1 }
    total.violations += violations
  }
}
