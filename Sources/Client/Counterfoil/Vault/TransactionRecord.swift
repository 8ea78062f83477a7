public import PaymentPrimitives
import StrictJSON

/// What a store said of one transaction, kept from before it is sent to the server until the server's word lets it
/// go.
///
/// It is the same evidence that the queue holds. It is kept beside it because a queue forgets: after a reinstall,
/// under another Apple account, or when another library finishes what it finds.
public struct TransactionRecord: Hashable, Sendable {
  /// The news that it keeps.
  public let key: TransactionKey
  /// The app.
  public let app: AppIdentifier
  /// The entry as the queue showed it, with a store id and evidence.
  public internal(set) var transaction: StoreTransaction
  /// The order that the client saw together with it in one run; the server asks for it when users share a device.
  public internal(set) var sameRun: OrderIdentifier?
  /// When it was first seen, by the device's clock.
  public let writtenAt: Timestamp
  /// Members that a newer version of this library wrote; kept as they came.
  var others: [JSONMember] = []

  /// A record of a transaction that carries evidence; nil for one that does not, or whose id or evidence is too
  /// long to be one.
  init?(
    _ transaction: StoreTransaction, app: AppIdentifier, sameRun: OrderIdentifier?,
    writtenAt: Timestamp
  ) {
    guard let key = TransactionKey(transaction), let evidence = transaction.evidence,
      evidence.utf8.count <= VaultLimits.evidenceBytesMax
    else { return nil }
    self.key = key
    self.app = app
    self.transaction = transaction
    self.sameRun = sameRun
    self.writtenAt = writtenAt
  }
}

/// Names one piece of news of a transaction: its charge, or its revocation under the same id.
public struct TransactionKey: Hashable, Comparable, Sendable {
  /// The store's number.
  public let id: TransactionIdentifier
  /// When it was taken back, if this is the news of that.
  public let revokedAt: Timestamp?

  init(id: TransactionIdentifier, revokedAt: Timestamp?) {
    self.id = id
    self.revokedAt = revokedAt
  }

  /// The news that an entry brings; nil when it has no store id of 1 to 64 bytes or no news for the server.
  init?(_ transaction: StoreTransaction) {
    guard transaction.isEvidence, let id = transaction.id,
      (1...VaultLimits.transactionIdentifierBytesMax).contains(id.text.utf8.count)
    else { return nil }
    if case .revoked(let date) = transaction.state {
      self.init(id: id, revokedAt: date)
    } else {
      self.init(id: id, revokedAt: nil)
    }
  }

  /// The key as text, the same for the same news.
  var text: String { revokedAt.map { "\(id.text).revoked-\($0.milliseconds)" } ?? id.text }

  public static func < (a: TransactionKey, b: TransactionKey) -> Bool {
    (a.id, a.revokedAt?.milliseconds ?? .min) < (b.id, b.revokedAt?.milliseconds ?? .min)
  }
}
