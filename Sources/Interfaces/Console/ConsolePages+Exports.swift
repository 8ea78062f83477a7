import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer

// The lists as files, for who moves money. Each file leaves an entry in the audit log.
extension ConsolePages {
  func exportOrders(_ visit: AppVisit) async throws -> HTTPResponse {
    let (filter, _) = filter(visit, states: OrderState.names)
    let realm = try console.environment(visit)
    let columns = [
      "environment", "store", "order", "reference", "user", "product", "quantity", "created_at_utc", "beijing_day",
      "state",
    ]
    var file = ListFile(columns: columns, rowsMax: settings.fileRowsMax)
    try await file.add { (after: OrderPosition?, limit: Int) in
      let page = try await engine.listOrders(filter, in: realm, after: after, limit: limit)
      return (rows: page.items.map { Self.cells($0.order) }, next: page.next)
    }
    return try await export(file.table, as: "orders", of: realm, for: visit)
  }

  private static func cells(_ order: Order) -> [String] {
    [
      order.key.appEnvironment.environment.rawValue, order.store.rawValue, order.key.id.description,
      order.reference?.text ?? "", order.user.text, order.product.id.text, "\(order.quantity)",
      order.createdAt.iso8601, Display.day(order.createdAt), order.state.name,
    ]
  }

  func exportPayments(_ visit: AppVisit) async throws -> HTTPResponse {
    let (filter, _) = filter(visit, states: PaymentPage.states)
    let realm = try console.environment(visit)
    let columns = [
      "environment", "store", "transaction", "order", "user", "store_product", "quantity", "milliunits", "amount",
      "currency", "purchased_at_utc", "beijing_day", "state", "reason",
    ]
    var file = ListFile(columns: columns, rowsMax: settings.fileRowsMax)
    try await file.add { (after: PaymentPosition?, limit: Int) in
      let page = try await engine.listPayments(filter, in: realm, after: after, limit: limit)
      return (rows: page.items.map { Self.cells($0) }, next: page.next)
    }
    return try await export(file.table, as: "payments", of: realm, for: visit)
  }

  private static func cells(_ payment: Payment) -> [String] {
    let facts = payment.facts
    var cells = [payment.key.environment.rawValue, payment.key.store.rawValue, payment.key.transaction.text]
    cells.append(payment.order?.description ?? "")
    cells.append(payment.owner?.text ?? "")
    cells += [facts.storeProduct.text, "\(facts.quantity)"]
    if let price = facts.price {
      cells += ["\(price.milliunits)", Display.decimal(milliunits: price.milliunits), price.currency]
    } else {
      cells += ["", "", ""]
    }
    cells += [facts.purchaseDate.iso8601, Display.day(facts.purchaseDate), payment.state.name]
    cells.append(payment.state.reason ?? "")
    return cells
  }

  func exportRefunds(_ visit: AppVisit) async throws -> HTTPResponse {
    let realm = try console.environment(visit)
    let state = visit.visit.query("state").flatMap { RefundList.states.contains($0) ? $0 : nil }
    let columns = [
      "environment", "number", "store_number", "transaction", "order", "minor_units", "of_minor_units", "currency",
      "created_at_utc", "beijing_day", "state", "reason",
    ]
    var file = ListFile(columns: columns, rowsMax: settings.fileRowsMax)
    try await file.add { (after: (date: Timestamp, number: String)?, limit: Int) in
      let page = try await engine.listRefunds(
        from: visit.visit.now - .days(31), to: visit.visit.now + .days(1), state: state, in: realm, after: after,
        limit: limit)
      return (rows: page.items.map { Self.cells($0) }, next: page.next)
    }
    return try await export(file.table, as: "refunds", of: realm, for: visit)
  }

  private static func cells(_ refund: Refund) -> [String] {
    [
      refund.appEnvironment.environment.rawValue, refund.number, refund.storeNumber ?? "",
      refund.payment.transaction.text, refund.order?.description ?? "", "\(refund.amount.minorUnits)",
      "\(refund.total.minorUnits)", refund.amount.currency.code, refund.createdAt.iso8601,
      Display.day(refund.createdAt), refund.state.name, refund.reason ?? "",
    ]
  }

  func export(
    _ table: CSVTable, as name: String, of realm: AppEnvironment, for visit: AppVisit
  ) async throws -> HTTPResponse {
    var what = console.description("export.\(name)", visit.call)
    (what.app, what.environment, what.role) = (realm.app, realm.environment, visit.role)
    _ = try await engine.perform(what) {}
    let file = "\(realm.app.text)-\(name)-\(Display.day(visit.visit.now)).csv"
    return HTTPResponse(
      status: 200,
      fields: [
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": "attachment; filename*=UTF-8''\(RequestTarget.encode(file))",
      ], body: table.bytes)
  }
}
