public import PaymentPrimitives
import StrictJSON

/// The store's evidence of one transaction, kept from before the submission until the server's answer releases it.
///
/// The queue holds the same evidence, but it can lose it: after a reinstall, under another Apple account, or when
/// another library finishes transactions.
public struct TransactionRecord: Hashable, Sendable {
  /// The update that it keeps.
  public let key: TransactionKey
  /// The app.
  public let app: AppIdentifier
  /// The entry as the queue showed it, with a store id and evidence.
  public internal(set) var transaction: StoreTransaction
  /// The order that the client saw together with it in one run; the server needs it when users share a device.
  public internal(set) var sameRun: OrderIdentifier?
  /// When it was first seen, by the device's clock.
  public let writtenAt: Timestamp
  /// Members that a newer version of this library wrote; kept unchanged.
  var others: [JSONMember] = []

  /// A record of a transaction that carries evidence; nil if it carries none, or if its id or evidence is too long.
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

/// The key of one update of a transaction: its charge, or its revocation under the same id.
public struct TransactionKey: Hashable, Comparable, Sendable {
  /// The store's number.
  public let id: TransactionIdentifier
  /// When it was revoked, if this update is the revocation.
  public let revokedAt: Timestamp?

  init(id: TransactionIdentifier, revokedAt: Timestamp?) {
    self.id = id
    self.revokedAt = revokedAt
  }

  /// The key of the update that an entry brings; nil if it has no store id of 1 to 64 bytes or nothing for the server.
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

  /// The key as text, equal for equal keys.
  var text: String { revokedAt.map { "\(id.text).revoked-\($0.milliseconds)" } ?? id.text }

  public static func < (a: TransactionKey, b: TransactionKey) -> Bool {
    (a.id, a.revokedAt?.milliseconds ?? .min) < (b.id, b.revokedAt?.milliseconds ?? .min)
  }
}

extension TransactionRecord {
  /// Merges this update into a known record: known facts are never erased.
  func merged(into old: TransactionRecord) -> TransactionRecord {
    var merged = old
    merged.transaction = transaction
    merged.transaction.handle = old.transaction.handle
    merged.transaction.token = transaction.token ?? old.transaction.token
    merged.transaction.product = transaction.product ?? old.transaction.product
    merged.transaction.purchaseDate = transaction.purchaseDate ?? old.transaction.purchaseDate
    merged.transaction.evidence = transaction.evidence ?? old.transaction.evidence
    merged.sameRun = old.sameRun ?? sameRun
    return merged
  }
}
