package import PaymentPrimitives

/// A store's notification as received: kept before it is acknowledged, for ever, once per id.
package struct ReceivedNotification: Hashable, Sendable {
  package enum Effect: String, Hashable, CaseIterable, Sendable {
    case applied
    /// Verified and kept; this version does not act on it.
    case kept
  }

  package let appEnvironment: AppEnvironment
  /// Apple's `notificationUUID`, WeChat Pay's `id`: the same at every retry.
  package let id: String
  /// Apple's `notificationType`, WeChat Pay's `event_type`, as received.
  package let type: String
  /// Apple's `subtype`, as received.
  package let subtype: String?
  package let signedDate: Timestamp
  /// The transaction that it is about.
  package let transaction: TransactionIdentifier?
  /// The signed payload as received; for WeChat Pay, the signing header fields and the body as JSON text.
  package let signedPayload: String
  package let receivedAt: Timestamp
  /// The effect here. A later version may act on a notification that this version only kept.
  package var effect: Effect

  package init(
    appEnvironment: AppEnvironment, id: String, type: String, subtype: String?, signedDate: Timestamp,
    transaction: TransactionIdentifier?, signedPayload: String, receivedAt: Timestamp,
    effect: Effect
  ) {
    self.appEnvironment = appEnvironment
    self.id = id
    self.type = type
    self.subtype = subtype
    self.signedDate = signedDate
    self.transaction = transaction
    self.signedPayload = signedPayload
    self.receivedAt = receivedAt
    self.effect = effect
  }

  /// Apple's payload is a JWS; WeChat Pay's is kept as a JSON object.
  package var store: Store { signedPayload.utf8.first == 0x7B ? .weChatPay : .appStore }
}
