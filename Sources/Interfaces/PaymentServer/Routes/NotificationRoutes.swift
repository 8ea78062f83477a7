import AppStoreIntegration
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON
import WeChatPayIntegration

/// Notifications of stores. Their signature authenticates them, and the answer comes after the commit.
enum NotificationRoutes {
  static let all: [Route] = [
    receiveAppStore("/notifications/app-store"), receiveAppStore("/notifications/app-store/{app}"),
    receiveWeChatPay,
  ]

  /// In bytes. A notification holds one signed payload, which holds others; genuine ones reach 19 kB.
  private static let bodyBytesMax = 512 << 10

  /// In bytes. WeChat Pay's own limit for the encrypted part is 1 MiB.
  private static let weChatBodyBytesMax = 2 << 20

  private static let receiveWeChatPay = Route(
    "POST", "/notifications/wechat-pay/{app}", name: "ReceiveWeChatPayNotification", access: [.open],
    bodyBytesMax: weChatBodyBytesMax, takesAnyMediaType: true,
    documentation: RouteDocumentation(
      summary: "WeChat Pay API v3 notifications. Answered with 204 once the notification is kept.",
      request: "WeChatPayNotification", statuses: [204],
      ownErrors: .init(statuses: [400, 401, 503], schema: "WeChatPayRefusal"), codes: [.notificationNotOurs])
  ) { call in
    try await checked(call) { () async throws -> (HTTPResponse, isGenuine: Bool?) in
      let result = try await call.server.engine.receiveWeChatPayNotification(
        fields: call.request.fields, body: call.request.body, for: AppIdentifier(call.parameter("app")))
      switch result {
      case .kept(_, let answer): return (answer, true)
      case .refused(let answer, let isForged): return (answer, isForged ? false : nil)
      }
    }
  }

  /// Counts a notification. Stores have a separate rate at each address. When it is used up a reserve decides, and a
  /// genuine notification gives back what it took of that. A sender of forged notifications is slowed down.
  private static func checked(
    _ call: Call, _ receive: () async throws -> (HTTPResponse, isGenuine: Bool?)
  ) async throws -> HTTPResponse {
    let (rates, notifier) = (call.server.rates, RateLimits.Subject.notifier(call.client.network))
    let usesReserve = !rates.allows(notifier, at: call.server.now)
    if usesReserve, !rates.allows(.reserve(.notifications), at: call.server.now) {
      throw CodedError<ServerErrorCode>(.tooManyRequests)
    }
    do {
      let (answer, isGenuine) = try await receive()
      if isGenuine == true, usesReserve { rates.giveBack(.reserve(.notifications), at: call.server.now) }
      if isGenuine == false { rates.chargeForFailedCheck(notifier, at: call.server.now) }
      return answer
    } catch let error as CodedError<EngineErrorCode> where error.code == .notificationUnreadable {
      // No store sends this.
      rates.chargeForFailedCheck(notifier, at: call.server.now)
      throw error
    }
  }

  private static func receiveAppStore(_ path: String) -> Route {
    Route(
      "POST", path, name: "ReceiveAppStoreNotification", access: [.open], bodyBytesMax: bodyBytesMax,
      takesAnyMediaType: true,
      documentation: RouteDocumentation(
        summary: "App Store Server Notifications V2. Answered once the notification is kept.",
        request: "AppStoreNotification", answer: "NotificationReceived",
        codes: [.notificationUnreadable, .notificationNotOurs, .verificationBusy])
    ) { call in
      try await checked(call) { () async throws -> (HTTPResponse, isGenuine: Bool?) in
        let received = try await call.server.engine.receiveAppStoreNotification(
          call.request.body, for: call.parameters["app"].map { AppIdentifier($0) },
          from: RateLimits.Subject.notifier(call.client.network).text)
        let answer = call.answer(
          .members([
            ("notificationUUID", .string(received.id)), ("effect", .string(received.effect)),
            ("transactionId", received.transaction.map { .string($0.text) }),
            ("firstSeen", .bool(received.firstSeen)),
          ]))
        return (answer, true)
      }
    }
  }
}
