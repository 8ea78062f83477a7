public import AppStoreProtocol
public import PaymentVocabulary

/// An App Store Server Notification from its event to its last attempt. What it says is fixed when the event happens:
/// later attempts say the same under the same UUID (rule AS-NOTE-2).
public struct SimulatedNotification: Hashable, Sendable {
  /// What it tells, as far as the log must know it.
  public let facts: Facts
  /// Apple's number of the app; nil in the sandbox, as Apple documents it.
  public let appAppleId: Int64?
  /// The build that bought; nil where nothing was bought.
  public let bundleVersion: String?
  /// The transaction as it was then, without signature.
  public let transaction: JWSTransactionDecodedPayload?
  /// The renewal information as it was then, without signature.
  public let renewalInfo: JWSRenewalInfoDecodedPayload?
  /// The subscription's state then.
  public let status: Status?
  /// The app transaction as it was then, without signature, of what concerns the app itself.
  public let appTransaction: AppTransaction?
  /// Whether all its attempts get lost.
  public let isLost: Bool
  /// What has been tried.
  public internal(set) var attempts: [Attempt] = []
  /// What comes next.
  public internal(set) var state: State

  /// What a notification tells.
  public struct Facts: Hashable, Sendable {
    /// Unique, and the same in each attempt.
    public let uuid: AppStoreUUID
    /// The type.
    public let type: NotificationTypeV2
    /// The particular.
    public let subtype: Subtype?
    /// The app.
    public let bundleId: String
    /// Which App Store.
    public let environment: SimulatedEnvironment
    /// The transaction that it is about.
    public let transaction: TransactionIdentifier?
    /// When it happened: `signedDate`.
    public let signedDate: Timestamp
    /// What it carries beside the transaction.
    public internal(set) var content = Content.data
  }

  /// What comes next.
  public enum State: Hashable, Sendable {
    /// An attempt at that moment.
    case waiting(until: Timestamp)
    /// Nothing: a server took it.
    case delivered
    /// Nothing: the last attempt failed.
    case givenUp
    /// Nothing: there was nobody to send it to, or a knob forbade it.
    case neverSent
  }

  /// One attempt to send it.
  public struct Attempt: Hashable, Sendable {
    /// When it began.
    public let date: Timestamp
    /// How it ended.
    public let result: Result
    /// The HTTP status, if there was an answer.
    public let status: Int?

    /// How an attempt ended, in the words of Apple's notification history.
    public enum Result: String, CaseIterable, Sendable {
      /// Answered 200 to 206.
      case success = "SUCCESS"
      /// No answer in time.
      case timedOut = "TIMED_OUT"
      /// No answer.
      case noResponse = "NO_RESPONSE"
      /// The server could not be reached.
      case socketIssue = "SOCKET_ISSUE"
      /// An answer that is not HTTP, or too large.
      case invalidResponse = "INVALID_RESPONSE"
      /// Any other status.
      case unsuccessfulResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
      /// Something else.
      case other = "OTHER"
    }
  }
}

extension SimulatedNotification {
  /// The same around what is signed inside, in another app's name (rule AS-NOTE-14).
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
