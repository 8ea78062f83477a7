import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The three calls of the App Store Server API about renewal dates (rules AS-EXT-1 to AS-EXT-4).
struct ExtensionCommands: Sendable {
  let call: APICall

  func extend(at store: isolated SimulatedAppStore) async throws(AppStoreAPIProblem) -> HTTPResponse {
    let form = try ExtensionForm(call.object())
    return try await store.commit { decision throws(AppStoreAPIProblem) in
      let transaction = try call.originalTransaction(in: decision.state)
      guard transaction.originalId == transaction.id else { throw .originalTransactionIdNotFound }
      guard let subscription = decision.state.subscriptions[transaction.id],
        let latest = decision.state.transactions[subscription.latest], let period = latest.period
      else { throw .extensionIneligible }
      if let refusal = ExtensionDecision.refusal(of: subscription, latest, decision) { throw refusal.problem }
      let end = ExtensionDecision.extend(latest, byDays: form.days, &decision)
      return HTTPResponse(
        status: 200,
        json: .members([
          ("originalTransactionId", .string(subscription.id.text)),
          ("webOrderLineItemId", .string(period.webOrderLineItemId)), ("success", .bool(true)),
          ("effectiveDate", .integer(end.milliseconds)),
        ]))
    }
  }

  func extendAll(at store: isolated SimulatedAppStore) async throws(AppStoreAPIProblem) -> HTTPResponse {
    let body = try call.object()
    let form = try ExtensionForm(body)
    let storefronts = try ExtensionForm.storefronts(body)
    try await store.commit { decision throws(AppStoreAPIProblem) in
      let product = StoreProductIdentifier(body["productId"]?.string ?? "")
      guard case .autoRenewable = decision.state.products[call.app.bundleId]?[product]?.kind else {
        throw .badRequest(4_000_023, "Invalid request. Product id is invalid.")
      }
      let request = SimulatedMassExtension(
        requestIdentifier: form.requestIdentifier, bundleId: call.app.bundleId, product: product,
        environment: call.environment, days: form.days, storefronts: storefronts)
      guard !ExtensionRecords.isUsed(request, in: decision.state) else { throw .requestIdentifierInvalid }
      guard decision.state.massExtensions.count < SimulatorLimits.massExtensionsMax else { throw .generalInternal }
      _ = MassExtensions.ask(request, &decision)
    }
    do { try await MassExtensions.workThrough(at: store) } catch { throw .generalInternal }
    return HTTPResponse(
      status: 200, json: .members([("requestIdentifier", .string(form.requestIdentifier))]))
  }

  func status(in state: SimulatorState) throws(AppStoreAPIProblem) -> HTTPResponse {
    let product = StoreProductIdentifier(call.route.parameters.first ?? "")
    let identifier = call.route.parameter
    guard let request = state.massExtensions.last(where: { $0.isNamed(identifier, of: product, by: call) }) else {
      throw AppStoreAPIProblem(
        404, 4_040_009, message: "The server didn't find a subscription-renewal-date extension request.")
    }
    let isComplete = request.completeDate != nil
    return HTTPResponse(
      status: 200,
      json: .members([
        ("requestIdentifier", .string(identifier)), ("complete", .bool(isComplete)),
        ("completeDate", request.completeDate.map { .integer($0.milliseconds) }),
        ("succeededCount", isComplete ? .integer(request.succeeded) : nil),
        ("failedCount", isComplete ? .integer(request.failed) : nil),
      ]))
  }
}

extension ExtensionRefusal {
  fileprivate var problem: AppStoreAPIProblem {
    switch self {
    case .notActive, .freeOffer: .extensionIneligible
    case .usedUp:
      AppStoreAPIProblem(403, 4_030_005, message: "Forbidden - subscription has reached maximum extension count.")
    case .familyShared:
      AppStoreAPIProblem(
        403, 4_030_007, message: "Forbidden - family shared subscriptions are ineligible for extension.")
    }
  }
}

extension AppStoreAPIProblem {
  fileprivate static let extensionIneligible = AppStoreAPIProblem(
    403, 4_030_004, message: "Forbidden - subscription state ineligible for extension.")
  static let requestIdentifierInvalid = badRequest(4_000_011, "Invalid request identifier.")
}
