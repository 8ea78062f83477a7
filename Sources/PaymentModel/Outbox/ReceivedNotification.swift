public import PaymentVocabulary

/// A store's notification as received: kept before it is acknowledged, for ever, once per id.
public struct ReceivedNotification: Hashable, Sendable {
  /// What became of it.
  public enum Effect: String, Hashable, CaseIterable, Sendable {
    /// It took effect.
    case applied
    /// Verified and kept; this version gives it no effect.
    case kept
  }

  /// The app and environment.
  public let realm: Realm
  /// Apple's `notificationUUID`, WeChat Pay's `id`: the same at every retry.
  public let id: String
  /// Apple's `notificationType`, WeChat Pay's `event_type`, as it came.
  public let type: String
  /// Apple's `subtype`, as it came.
  public let subtype: String?
  /// When the store signed it.
  public let signedDate: Timestamp
  /// The transaction that it speaks of.
  public let transaction: TransactionIdentifier?
  /// The signed payload as received; of WeChat Pay the signing header fields and the body as JSON text.
  public let signedPayload: String
  /// When it was first received.
  public let receivedAt: Timestamp
  /// What became of it; what was kept may take effect in a later version.
  public var effect: Effect

  /// A notification as received.
  public init(
    realm: Realm, id: String, type: String, subtype: String?, signedDate: Timestamp,
    transaction: TransactionIdentifier?, signedPayload: String, receivedAt: Timestamp,
    effect: Effect
  ) {
    self.realm = realm
    self.id = id
    self.type = type
    self.subtype = subtype
    self.signedDate = signedDate
    self.transaction = transaction
    self.signedPayload = signedPayload
    self.receivedAt = receivedAt
    self.effect = effect
  }
}
