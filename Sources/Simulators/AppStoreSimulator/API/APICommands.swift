import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The calls of the App Store Server API that change something.
struct APICommands: Sendable {
  let call: APICall

  /// Rule AS-API-7: a finish by the server has the same effect as a finish by the device.
  func finish(at store: isolated SimulatedAppStore) async throws(AppStoreAPIProblem) -> HTTPResponse {
    try await store.commit { decision throws(AppStoreAPIProblem) in
      let transaction = try call.transaction(in: decision.state)
      if !transaction.isFinished { decision.event = .finished(transaction.id) }
      return HTTPResponse(status: 200)
    }
  }

  /// Rule AS-API-8: sets the token of the transaction with this original id. For a subscription it sets the token of
  /// the current period and of the following ones.
  func setAppAccountToken(
    at store: isolated SimulatedAppStore
  ) async throws(AppStoreAPIProblem) -> HTTPResponse {
    let object = try call.object()
    guard let token = object["appAccountToken"]?.string.flatMap({ AppStoreUUID($0) }) else {
      throw .badRequest(4_000_183, "Invalid request. App account token field must be a valid UUID.")
    }
    return try await store.commit { decision throws(AppStoreAPIProblem) in
      let transaction = try call.originalTransaction(in: decision.state)
      guard transaction.originalId == transaction.id else {
        throw .badRequest(
          4_000_187, "Invalid request. The transaction ID provided is not an original transaction ID.")
      }
      guard !transaction.isFamilyShared else {
        throw .badRequest(4_000_185, "Invalid request. Family Sharing transactions aren't supported.")
      }
      let id = decision.state.subscriptions[transaction.id]?.latest ?? transaction.id
      if decision.state.transactions[id]?.appAccountToken != token { decision.event = .appAccountTokenSet(id, token) }
      return HTTPResponse(status: 200)
    }
  }

  func tellConsumption(
    isFirstVersion: Bool, at store: isolated SimulatedAppStore
  ) async throws(AppStoreAPIProblem) -> HTTPResponse {
    let body = try call.object()
    return try await store.commit { decision throws(AppStoreAPIProblem) in
      let transaction = try call.transaction(in: decision.state)
      if isFirstVersion {
        guard [.consumable, .autoRenewableSubscription].contains(transaction.type) else {
          throw .badRequest(4_000_047, "Invalid request. The transaction type is not supported.")
        }
        try ConsumptionForm.checkFirst(body)
      } else {
        try ConsumptionForm.check(body, isAutoRenewable: transaction.type == .autoRenewableSubscription)
      }
      let words = String(decoding: body.bytes, as: UTF8.self)
      guard words.utf8.count <= SimulatorLimits.consumptionBytesMax else { throw .bodyInvalid }
      decision.event = .consumptionTold(transaction.id, words)
      return HTTPResponse(status: 202)
    }
  }

  func requestTestNotification(
    at store: isolated SimulatedAppStore
  ) async throws(AppStoreAPIProblem) -> HTTPResponse {
    let token = try await store.commit { decision throws(AppStoreAPIProblem) in
      guard decision.state.apps[call.app.bundleId]?.notificationURL != nil else {
        throw AppStoreAPIProblem(
          404, 4_040_007, message: "No App Store Server Notification URL found for provided app.")
      }
      guard decision.state.notificationOrder.ids.count < SimulatorLimits.notificationsMax else {
        throw .generalInternal
      }
      let facts = decision.notification(
        .test, bundleId: call.app.bundleId, environment: call.environment, transaction: nil)
      decision.event = .testRequested(facts)
      return "\(facts.uuid.text)_\(facts.signedDate.milliseconds)"
    }
    return HTTPResponse(status: 200, json: .members([("testNotificationToken", .string(token))]))
  }
}
