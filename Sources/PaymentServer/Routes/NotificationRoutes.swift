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
      "POST", path, "ReceiveAppStoreNotification", [.open], bodyBytesMax: bodyBytesMax, takesAnyMediaType: true,
      RouteDocumentation(
        summary: "App Store Server Notifications V2. Answered once the notification is kept.",
        request: "AppStoreNotification", answer: "NotificationReceived",
        codes: [.notificationUnreadable, .notificationNotOurs, .verificationBusy])
    ) { call in
      let received: NotificationReceipt
      do {
        received = try await call.server.engine.receiveAppStoreNotification(
          call.request.body, for: call.parameters["app"].map { AppIdentifier($0) })
      } catch let refusal as Refusal<EngineErrorCode> where refusal.code == .notificationUnreadable {
        // No store sends such: whoever makes us check forged signatures is slowed down.
        call.server.rates.chargeForFailedCheck(call.peer, at: call.server.now)
        throw refusal
      }
      return call.answer(
        .members([
          ("notificationUUID", .string(received.id)), ("effect", .string(received.effect)),
          ("transactionId", received.transaction.map { .string($0.text) }),
          ("firstSeen", .bool(received.firstSeen)),
        ]))
    }
  }
}
