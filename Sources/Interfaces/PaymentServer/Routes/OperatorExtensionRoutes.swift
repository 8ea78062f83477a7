import AppStoreIntegration
import AppStoreProtocol
import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// An operator's extensions of renewal dates: of one subscription, of all subscribers to a product, and their progress.
enum OperatorExtensionRoutes {
  static let all: [Route] = [extend, extendAll, status]

  /// Storefronts in one request: Apple has fewer.
  private static let storefrontsMax = 300

  private static let extend = Route(
    "POST", "/v1/operator/subscriptions/{originalTransactionId}/extend", name: "ExtendSubscription",
    access: [.operator],
    documentation: RouteDocumentation(
      summary: "Lets Apple put off the end of a period, if it ends at `periodEnd`: so a repetition is harmless.",
      request: "ExtendSubscription", answer: "SubscriptionExtension",
      codes: [.storeNotConfigured, .paymentUnknown, .extensionNotPossible, .appStoreUnanswered])
  ) { call in
    let app = try call.authenticatedApp()
    let (wish, end) = try call.body { (json) throws(JSONFieldError) in
      let fields = try JSONFields(json)
      return (
        try Wish(fields),
        try fields.converted("periodEnd", "a moment, such as 2027-01-31T00:00:00Z", Timestamp.init(iso8601:))
      )
    }
    let result = try await call.server.engine.extendSubscription(
      TransactionIdentifier(call.parameter("originalTransactionId")), endingAt: end, by: wish.days, wish.cause,
      in: wish.environment, for: app, reason: wish.reason(call))
    let (isExtended, periodEnd) =
      switch result {
      case .extended(let until): (true, until)
      case .endsElsewhere(let other): (false, other)
      }
    return call.answer(
      .members([("extended", .bool(isExtended)), ("periodEnd", .string(periodEnd.iso8601))]))
  }

  private static let extendAll = Route(
    "POST", "/v1/operator/app-store-products/{storeProductId}/extend", name: "ExtendAllSubscribers",
    access: [.operator],
    documentation: RouteDocumentation(
      summary: "Lets Apple put off the dates of all active subscribers. The same `requestIdentifier` is done once.",
      request: "ExtendAllSubscribers", answer: "MassExtension",
      codes: [.productUnknown, .storeNotConfigured, .extensionNotPossible, .extensionUnknown, .appStoreUnanswered])
  ) { call in
    let app = try call.authenticatedApp()
    let (wish, identifier, storefronts) = try call.body { (json) throws(JSONFieldError) in
      let fields = try JSONFields(json)
      return (
        try Wish(fields), try fields.string("requestIdentifier", bytesMax: RenewalExtensionRequest.identifierBytesMax),
        try fields.strings("storefronts", countMax: storefrontsMax, bytesMax: 3)
      )
    }
    let request = try RenewalExtensionRequest(days: wish.days, reason: wish.cause, identifier: identifier)
    let status = try await call.server.engine.extendAllSubscribers(
      to: StoreProductIdentifier(call.parameter("storeProductId")), request,
      storefronts: storefronts.isEmpty ? nil : storefronts, in: wish.environment, for: app, reason: wish.reason(call))
    return call.answer(json(status, identifier))
  }

  private static let status = Route(
    "GET", "/v1/operator/app-store-products/{storeProductId}/extensions/{requestIdentifier}", name: "TellMassExtension",
    access: [.operator],
    documentation: RouteDocumentation(
      summary: "How far Apple is with an extension for all subscribers.",
      query: [.operatorEnvironment("The app's own unless said otherwise.")], answer: "MassExtension",
      codes: [.productUnknown, .storeNotConfigured, .extensionUnknown, .appStoreUnanswered])
  ) { call in
    let identifier = call.parameter("requestIdentifier")
    let status = try await call.server.engine.massExtension(
      of: StoreProductIdentifier(call.parameter("storeProductId")), identifier: identifier,
      in: try call.operatorEnvironmentOrHome().environment, for: try call.authenticatedApp())
    return call.answer(json(status, identifier))
  }

  private static func json(_ status: MassExtendRenewalDateStatusResponse, _ identifier: String) -> JSONValue {
    .members([
      ("requestIdentifier", .string(identifier)), ("complete", .bool(status.complete)),
      ("completedAt", status.completeDate.map { .string($0.iso8601) }),
      ("succeeded", status.succeededCount.map { .integer($0) }), ("failed", status.failedCount.map { .integer($0) }),
    ])
  }

  /// What both requests state.
  private struct Wish {
    let days: Int64
    let cause: ExtendReasonCode
    let environment: StoreEnvironment?
    private let text: String

    init(_ fields: JSONFields) throws(JSONFieldError) {
      days = try fields.integer("days", in: 1...RenewalExtensionRequest.daysMax)
      let causes = ExtendReasonCode.allCases.map(\.name).joined(separator: ", ")
      cause = try fields.converted("cause", "one of \(causes)", ExtendReasonCode.init(name:))
      environment = try fields.optionallyConverted("environment", "an environment", StoreEnvironment.init(rawValue:))
      text = try fields.string("reason", bytesMax: 1024)
    }

    func reason(_ call: Call) -> OperatorReason { OperatorReason(name: call.operatorName ?? "", text: text) }
  }
}
