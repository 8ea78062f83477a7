import CounterfoilAPI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// The journal as a feed, for backends that follow everything that happens.
enum EventRoutes {
  static let all: [Route] = [list]

  private static let list = Route(
    "GET", "/v1/events", name: "ListEvents", access: [.backend, .operator],
    documentation: RouteDocumentation(
      summary: "What happened to orders and payments, in one order for all readers; each event at least once.",
      query: [
        .init(name: "after", meaning: "The `next` of the page before, or the `id` of an event."),
        .init(
          name: "since", meaning: "Instead of `after`, the first time: events of this moment or later.",
          schema: Schemas.date),
        .init(
          name: "wait", meaning: "Seconds to wait at most, while there is no event.",
          schema: Schemas.integer(0...Int(ContractLimits.waitSecondsMax))),
        .limit(ContractLimits.pageMax), .environment,
      ], answer: "Events", codes: [.eventUnknown])
  ) { call in
    let start = try start(of: call)
    let limit = Int(try call.queryNumber("limit", in: 1...Int64(ContractLimits.pageMax), otherwise: 20))
    let seconds = try call.queryNumber("wait", in: 0...ContractLimits.waitSecondsMax, otherwise: 0)
    let appEnvironment = try environment(of: call)
    let waiter = call.rateSubject ?? call.peer
    let mayWait = seconds > 0 && call.server.waits.take(waiter)
    defer { if mayWait { call.server.waits.give(waiter) } }
    let page = try await call.server.engine.listEvents(
      in: appEnvironment, from: start, limit: limit, waiting: mayWait ? .seconds(seconds) : .zero)
    return call.answer(
      .members([
        ("events", .array(page.events.map(json))), ("next", page.next.map { .string($0.text) }),
      ]))
  }

  private static func environment(of call: Call) throws(CodedError<ServerErrorCode>) -> AppEnvironment {
    if call.caller == nil { return try call.operatorEnvironmentOrHome() }
    return try call.appEnvironment()
  }

  private static func start(of call: Call) throws(CodedError<ServerErrorCode>) -> EventStart {
    let since = try call.moment("since")
    guard let text = try call.query("after") else { return since.map { .since($0) } ?? .beginning }
    guard since == nil else { throw CodedError(.fieldInvalid, "after and since exclude each other.") }
    guard let event = EventIdentifier(text) else {
      throw CodedError(.fieldInvalid, "after must be the `next` of a page, or the `id` of an event.")
    }
    return .after(event)
  }

  /// The details of an entry are written for people, and are not part of the contract.
  private static func json(_ event: NumberedJournalEntry) -> JSONValue {
    let entry = event.entry
    return .members([
      ("id", .string(EventIdentifier(of: event).text)), ("type", .string(entry.what)),
      ("at", .string(entry.at.iso8601)), ("environment", .string(entry.appEnvironment.environment.rawValue)),
      ("orderId", entry.order.map { .string($0.description) }), ("userId", event.user.map { .string($0.text) }),
      ("reference", event.reference.map { .string($0.text) }),
      ("referenceFrom", event.reference?.origin == .app ? "app" : nil),
      ("store", entry.payment.map { .string($0.store.rawValue) }),
      ("transactionId", entry.payment.map { .string($0.transaction.text) }),
      ("event", entry.event.flatMap { try? JSONReader.read($0.utf8) }),
    ])
  }
}
