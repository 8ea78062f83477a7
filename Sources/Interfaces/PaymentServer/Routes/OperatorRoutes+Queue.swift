import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

// What needs an operator's attention, and who works on it.
extension OperatorRoutes {
  static let queues: [Route] = [queue, assign]

  /// Maximum payments in one read of the queue; handled ones are no longer there at the next read.
  private static let queueMax = 500
  private static let queue = Route(
    "GET", "/v1/operator/queue", name: "OperatorQueue", access: [.operator],
    documentation: RouteDocumentation(
      summary: "What needs an operator's attention. `items` has all of it, the longest waiting first.",
      query: [
        .limit(queueMax),
        .init(
          name: "kind", meaning: "Only items of that kind.", schema: Schemas.words(AttentionItem.Kind.allCases)),
        .init(name: "assignedTo", meaning: "Only items that this operator works on; empty: that nobody works on."),
      ], answer: "OperatorQueue")
  ) { call in
    let app = try call.authenticatedApp()
    let limit = Int(try call.queryNumber("limit", in: 1...Int64(queueMax), otherwise: 20))
    let appEnvironments = app.userEnvironments + [AppEnvironment(app: app.id, environment: .undetermined)]
    let payments = try await call.server.engine.operatorQueue(in: appEnvironments, limit: limit)
    let stopped = try await call.server.engine.stoppedChanges(in: appEnvironments, limit: limit)
    let disputed = try await call.server.engine.disputedRefunds(in: appEnvironments, limit: limit)
    let gaps = try await call.server.engine.configurationGaps(of: app.id)
    let unknown = try await call.server.engine.grantsOfUnknownPromise(in: appEnvironments, limit: limit)
    let uncompared = try await call.server.engine.uncomparedDays(of: app)
    let configuration = gaps.map { json($0, call.language) } + unknown.map(json)
    let kind = try call.word(
      "kind", AttentionItem.Kind.init(rawValue:), AttentionItem.Kind.allCases.map(\.rawValue))
    let assigned = try call.query("assignedTo")
    let selection: QueueSelection = assigned.map { $0.isEmpty ? .unassigned : .of(OperatorName($0)) } ?? .all
    let items = try await call.server.engine.queue(
      of: app, in: appEnvironments, kinds: kind.map { [$0] }, selection, limit: limit)
    return call.answer(
      .members([
        ("payments", .array(payments.map(json))), ("stopped", .array(stopped.map(json))),
        ("disputedRefunds", .array(disputed.map(json))), ("configuration", .array(configuration)),
        ("uncomparedDays", .array(uncompared.map(json))),
        ("items", .array(items.map { json($0, call) })),
      ]))
  }

  private static func json(_ entry: QueueEntry, _ call: Call) -> JSONValue {
    let item = entry.item
    return .members([
      ("itemId", .string(entry.name)), ("assignedTo", entry.assignment.map { .string($0.to.text) }),
      ("assignedAt", entry.assignment.map { .string($0.at.iso8601) }),
      ("kind", .string(item.kind.rawValue)), ("reason", .string(item.row)),
      ("environment", .string(item.appEnvironment.environment.rawValue)),
      ("since", item.since.map { .string($0.iso8601) }),
      ("ageSeconds", item.since.map { .integer(max(0, (call.server.now - $0).milliseconds / 1000)) }),
      ("amount", item.amount.map(json)), ("advice", .string(item.resolution.advice[call.language])),
      ("acts", .array(item.resolution.acts.map { .string($0.rawValue) })), ("found", item.found.map(JSONValue.string)),
      ("store", (item.payment?.store ?? item.store).map { .string($0.rawValue) }),
      ("transactionId", item.payment.map { .string($0.transaction.text) }),
      ("orderId", item.order.map { .string($0.description) }), ("userId", item.user.map { .string($0.text) }),
      ("subject", item.subject.map(JSONValue.string)),
    ])
  }

  private static func json(_ amount: AttentionItem.Amount) -> JSONValue {
    let (value, unit, of): (Int64, String, String) =
      switch amount {
      case .money(let money): (money.minorUnits, "minorUnits", money.currency.code)
      case .statedPrice(let price): (price.milliunits, "milliunits", price.currency)
      case .units(let amount, let unit): (amount, "units", unit.text)
      }
    return .members([("value", .integer(value)), ("in", .string(unit)), ("of", .string(of))])
  }

  private static func json(_ day: UncomparedDay) -> JSONValue {
    .members([
      ("environment", .string(day.appEnvironment.environment.rawValue)), ("store", .string(day.store.rawValue)),
      ("day", .string(day.day)),
    ])
  }

  private static func json(_ gap: ConfigurationGap, _ language: Language) -> JSONValue {
    .members([
      ("kind", .string(gap.name)), ("app", .string(gap.app.text)), ("subject", .string(gap.subject)),
      ("found", .string(gap.text[language])),
    ])
  }

  /// The entry for a grant of an earlier version, without a record of what one piece gives.
  private static func json(_ grant: Grant) -> JSONValue {
    .members([
      ("kind", "promiseUnknown"), ("app", .string(grant.payment.app.text)),
      ("subject", .string(grant.promise.product.text)),
      ("found", .string("Nothing says what one piece of it gives: its content stays as it is.")),
      ("transactionId", .string(grant.payment.transaction.text)),
    ])
  }

  private static let assign = Route(
    "POST", "/v1/operator/queue/{itemId}/assign", name: "AssignItem", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Says which operator works on an item of the queue, if nobody else took it meanwhile.",
      request: "AssignItem", answer: "Assignment", codes: [.actNotPossible])
  ) { call in
    let item = call.parameter("itemId")
    let (account, seen) = try call.body { (json) throws(JSONFieldError) in
      let fields = try JSONFields(json)
      let lengths = ActionDescription.reasonLength
      _ = try fields.converted("reason", "\(lengths.lowerBound) to \(lengths.upperBound) characters") {
        lengths.contains($0.count) ? $0 : nil
      }
      return (
        try fields.optionallyConverted("assignTo", "the name of an account", accountName),
        try fields.optionallyConverted("assignedTo", "the name of an account", accountName)
      )
    }
    let assignment = try await call.server.engine.assign(
      item, of: try call.authenticatedApp(), to: account, seen: seen, by: call.operatorName ?? "")
    return call.answer(
      .members([
        ("itemId", .string(item)), ("assignedTo", assignment.map { .string($0.to.text) }),
        ("assignedBy", assignment.map { .string($0.by) }), ("assignedAt", assignment.map { .string($0.at.iso8601) }),
      ]))
  }

  private static func accountName(_ text: String) -> OperatorName? {
    OperatorAccount.isName(text) ? OperatorName(text) : nil
  }
}
