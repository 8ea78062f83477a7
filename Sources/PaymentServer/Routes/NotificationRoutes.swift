import HTTPMessages
import PaymentEngine
import PaymentVocabulary
import StrictJSON

/// What stores post. They show who they are by their signature, and are answered after the commit.
enum NotificationRoutes {
  static let all: [Route] = [
    receiveAppStore("/notifications/app-store"), receiveAppStore("/notifications/app-store/{app}"),
  ]

  /// A notification holds one signed payload, which holds others; genuine ones reach 19 kB.
  private static let bodyBytesMax = 512 << 10

  private static func receiveAppStore(_ path: String) -> Route {
    Route(
      "POST", path, "ReceiveAppStoreNotification", [.open], bodyBytesMax: bodyBytesMax,
      RouteDocumentation(
        summary: "App Store Server Notifications V2. Answered once the notification is kept.",
        request: "AppStoreNotification", answer: "NotificationReceived",
        codes: [.notificationUnreadable, .notificationNotOurs, .verificationBusy])
    ) { call in
      let received = try await call.server.engine.receiveAppStoreNotification(
        call.request.body, for: call.parameters["app"].map { AppIdentifier($0) })
      return call.answer(
        .members([
          ("notificationUUID", .string(received.id)), ("effect", .string(received.effect)),
          ("transactionId", received.transaction.map { .string($0.text) }),
          ("firstSeen", .bool(received.firstSeen)),
        ]))
    }
  }
}
