import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Everything that happened to one order, as text or JSON.
struct OrderReport: Sendable {
  let order: Order
  let journal: [JournalEntry]
  let payment: Payment?
  let grant: Grant?
  let deliveries: [Delivery]

  init(_ order: Order, in database: any DatabaseReader) throws {
    self.order = order
    let payment = try database.payment(paying: order.key)
    self.payment = payment
    grant = try payment.flatMap { try database.grant($0.key) }
    deliveries =
      try payment.map { payment in
        try database.deliveries(of: payment.key).filter { $0.order == order.key.id }
      } ?? []
    journal = try OrderTimeline.entries(of: order, in: database)
  }

  static func line(_ order: Order) -> String {
    let words = [
      order.createdAt.iso8601, order.key.id.description, order.user.text,
      "\(order.quantity) × \(order.product.id)", state(order),
      order.key.appEnvironment.environment.rawValue, order.reference?.text ?? "",
    ]
    return TerminalText.line(words.filter { !$0.isEmpty }.joined(separator: "  "))
  }

  static func state(_ order: Order) -> String {
    switch order.state {
    case .awaitingPayment: "awaitingPayment"
    case .paid(let payment, _): "paid by \(payment.transaction)"
    case .closed(let reason, _): "closed (\(reason.rawValue))"
    }
  }

  static func json(_ order: Order) -> JSONValue {
    .members([
      ("id", .string(order.key.id.description)), ("app", .string(order.key.appEnvironment.app.text)),
      ("environment", .string(order.key.appEnvironment.environment.rawValue)),
      ("userId", .string(order.user.text)), ("productId", .string(order.product.id.text)),
      ("quantity", .integer(order.quantity)), ("store", .string(order.store.rawValue)),
      ("state", .string(state(order))), ("reference", order.reference.map { .string($0.text) }),
      ("createdAt", .string(order.createdAt.iso8601)),
      ("frozenBecause", order.frozenBecause.map(JSONValue.string)),
    ])
  }

  var json: JSONValue {
    .members([
      ("order", Self.json(order)),
      (
        "payment",
        payment.map {
          .members([
            ("transactionId", .string($0.key.transaction.text)), ("state", .string($0.state.name)),
            ("rule", $0.match.map { .string($0.rule.rawValue) }),
            ("ownerId", $0.owner.map { .string($0.text) }),
          ])
        }
      ), ("grant", grant.map { .string(Self.words($0)) }),
      (
        "deliveries",
        .array(
          deliveries.map {
            .members([
              ("id", .string($0.id.text)), ("type", .string($0.kind.type)),
              ("state", .string(Self.words($0.state))), ("attempts", .integer($0.attempts)),
            ])
          })
      ),
      (
        "journal",
        .array(
          journal.map {
            .members([
              ("at", .string($0.at.iso8601)), ("what", .string($0.what)),
              ("details", try? JSONReader.read($0.details.utf8)),
            ])
          })
      ),
    ])
  }

  var text: String {
    var lines = [Self.line(order), ""]
    lines += journal.map { "  \($0.at.iso8601)  \($0.what)  \($0.details == "{}" ? "" : $0.details)" }
    if let grant { lines += ["", "  granted  \(Self.words(grant))"] }
    lines += deliveries.map {
      "  delivery  \($0.id)  \($0.kind.type)  \(Self.words($0.state))  attempts: \($0.attempts)"
    }
    return lines.map { TerminalText.line($0) + "\n" }.joined()
  }

  private static func words(_ grant: Grant) -> String {
    let taken = grant.takenBack > 0 ? ", taken back: \(grant.takenBack)" : ""
    switch grant.content {
    case .units(let unit, let amount): return "\(amount) \(unit) to \(grant.user)" + taken
    case .entitlement(let name, _, let until):
      return "\(name) to \(grant.user)" + (until.map { " until \($0.iso8601)" } ?? "") + taken
    }
  }

  private static func words(_ state: Delivery.State) -> String {
    switch state {
    case .pending: "pending"
    case .acknowledged(let at): "acknowledged \(at.iso8601)"
    case .parked(let at): "parked \(at.iso8601)"
    }
  }
}
