import CounterfoilAPI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Deliveries for backends that pull them, and the acknowledgement of pulled and sent ones.
enum DeliveryRoutes {
  static let all: [Route] = [claim, acknowledge, list]

  private static let claim = Route(
    "POST", ClaimDeliveries.path, name: "ClaimDeliveries", access: [.backend],
    documentation: RouteDocumentation(
      summary: "Takes due deliveries on lease; what is not acknowledged by its end comes again under the same id.",
      query: [.environment], request: "ClaimDeliveries", requestIsOptional: true, answer: "Deliveries")
  ) { call in
    let body = try call.body(ClaimDeliveries.Request.init(json:))
    let deliveries = try await call.server.engine.claimDeliveries(
      in: try call.appEnvironment(named: body.environment), upTo: body.limit, for: body.lease)
    return call.answer(.members([("deliveries", .array(deliveries.map { json($0, .backend) }))]))
  }

  private static let acknowledge = Route(
    "POST", "/v1/deliveries/{deliveryId}/ack", name: "AcknowledgeDelivery", access: [.backend],
    documentation: RouteDocumentation(
      summary: "The backend has stored this delivery. Again changes nothing.", answer: "Delivery",
      codes: [.deliveryUnknown])
  ) { call in
    let delivery = try await call.server.engine.acknowledge(
      DeliveryIdentifier(call.parameter("deliveryId")), in: try call.authenticatedApp().id)
    return call.answer(json(delivery, .backend))
  }

  private static let list = Route(
    "GET", "/v1/deliveries", name: "ListDeliveries", access: [.backend],
    documentation: RouteDocumentation(
      summary: "Deliveries in order of their making.",
      query: [
        .init(
          name: "state", meaning: "Those that stand so; `all` unless said otherwise.",
          schema: Schemas.words(DeliveryQuery.Selection.allCases)),
        .init(name: "after", meaning: "The `next` of the page before."), .limit(ContractLimits.pageMax),
        .environment,
      ], answer: "Deliveries")
  ) { call in
    guard let selection = DeliveryQuery.Selection(rawValue: try call.query("state") ?? "all") else {
      throw CodedError<ServerErrorCode>(
        .fieldInvalid, "state must be all, pending, acknowledged or parked.")
    }
    return try await page(call, in: try call.appEnvironment(), selection)
  }

  /// A page of deliveries, as the query asks for it.
  static func page(
    _ call: Call, in appEnvironment: AppEnvironment, _ selection: DeliveryQuery.Selection
  ) async throws -> HTTPResponse {
    var query = DeliveryQuery(
      appEnvironment: appEnvironment, selection: selection,
      limit: Int(try call.queryNumber("limit", in: 1...Int64(ContractLimits.pageMax), otherwise: 20)))
    query.after = try call.query("after").map { DeliveryIdentifier($0) }
    let deliveries = try await call.server.engine.listDeliveries(query)
    return call.answer(
      .members([
        ("deliveries", .array(deliveries.map { json($0, call.personal) })),
        ("next", deliveries.count < query.limit ? nil : deliveries.last.map { .string($0.id.text) }),
      ]))
  }

  /// A delivery with its state, and the exact body that is sent for those who may see it.
  static func json(_ delivery: Delivery, _ personal: PersonalView) -> JSONValue {
    var acknowledgedAt: Timestamp?
    if case .acknowledged(let at) = delivery.state { acknowledgedAt = at }
    return .members([
      ("id", .string(delivery.id.text)), ("state", .string(word(delivery.state))),
      ("attempts", .integer(delivery.attempts)),
      ("nextAttemptAt", delivery.state == .pending ? .string(delivery.nextAttemptAt.iso8601) : nil),
      ("leaseUntil", delivery.lease.map { .string($0.until.iso8601) }),
      ("acknowledgedAt", acknowledgedAt.map { .string($0.iso8601) }),
      ("lastProblem", delivery.lastProblem.map(JSONValue.string)),
      ("delivery", personal.body(of: delivery).flatMap { try? JSONReader.read($0.utf8) }),
    ])
  }

  /// The state without its time.
  static func word(_ state: Delivery.State) -> String {
    switch state {
    case .pending: "pending"
    case .acknowledged: "acknowledged"
    case .parked: "parked"
    }
  }
}
