package import AppStoreProtocol
package import PaymentPrimitives

/// An App Store Server Notification from its event to its last attempt. Its contents are fixed when the event happens:
/// later attempts send the same contents under the same UUID (rule AS-NOTE-2).
package struct SimulatedNotification: Hashable, Sendable {
  /// The part that the log keeps.
  package let facts: Facts
  /// Apple's number of the app; nil in the sandbox, as Apple documents it.
  package let appAppleId: Int64?
  /// The build that made the purchase; nil when nothing was bought.
  package let bundleVersion: String?
  /// The transaction at the time of the event, without signature.
  package let transaction: JWSTransactionDecodedPayload?
  /// The renewal information at the time of the event, without signature.
  package let renewalInfo: JWSRenewalInfoDecodedPayload?
  package let status: Status?
  /// The app transaction at the time of the event, without signature; only for notifications about the app itself.
  package let appTransaction: AppTransaction?
  /// Whether all its attempts are lost.
  package let isLost: Bool
  package internal(set) var attempts: [Attempt] = []
  package internal(set) var state: State

  package struct Facts: Hashable, Sendable {
    /// Unique, and the same in each attempt.
    package let uuid: AppStoreUUID
    package let type: NotificationTypeV2
    package let subtype: Subtype?
    package let bundleId: String
    package let environment: SimulatedEnvironment
    /// The transaction that the notification is about.
    package let transaction: TransactionIdentifier?
    /// The time of the event: `signedDate`.
    package let signedDate: Timestamp
    /// The content beside the transaction.
    package internal(set) var content = Content.data
  }

  package enum State: Hashable, Sendable {
    case waiting(until: Timestamp)
    case delivered
    case givenUp
    /// Never sent: there was no URL, or a behaviour setting prevented it.
    case neverSent
  }

  package struct Attempt: Hashable, Sendable {
    package let date: Timestamp
    package let result: Result
    /// The HTTP status, if there was an answer.
    package let status: Int?

    /// The result of an attempt, in the terms of Apple's notification history.
    package enum Result: String, CaseIterable, Sendable {
      /// Answered 200 to 206.
      case success = "SUCCESS"
      case timedOut = "TIMED_OUT"
      case noResponse = "NO_RESPONSE"
      /// The server was unreachable.
      case socketIssue = "SOCKET_ISSUE"
      /// An answer that is not HTTP, or too large.
      case invalidResponse = "INVALID_RESPONSE"
      case unsuccessfulResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
      case other = "OTHER"
    }
  }
}

extension SimulatedNotification {
  /// The same signed content inside, sent in another app's name (rule AS-NOTE-14).
  func naming(_ app: SimulatedApp) -> SimulatedNotification {
    var facts = SimulatedNotification.Facts(
      uuid: facts.uuid, type: facts.type, subtype: facts.subtype, bundleId: app.bundleId,
      environment: facts.environment, transaction: facts.transaction, signedDate: facts.signedDate)
    facts.content = self.facts.content
    return SimulatedNotification(
      facts: facts, appAppleId: facts.environment == .production ? app.appAppleId : nil, bundleVersion: bundleVersion,
      transaction: transaction, renewalInfo: renewalInfo, status: status, appTransaction: appTransaction,
      isLost: isLost, state: state)
  }
}
