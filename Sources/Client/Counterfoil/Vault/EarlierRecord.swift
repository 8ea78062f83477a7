public import PaymentPrimitives

/// A purchase that an app's earlier, hand-written code stored. The app passes it once, after the update to this
/// library (`Purchasing.takeOver`).
///
/// Purchases in progress are completed. For purchases before the server's cut-over, the server decides: it holds them
/// for the operator or recognises them as delivered.
public struct EarlierRecord: Hashable, Sendable {
  /// The app's own order number, 1 to 64 characters.
  public var reference: String
  /// Apple's product id.
  public var product: StoreProductIdentifier
  /// The user that the purchase belongs to.
  public var user: UserIdentifier
  /// Number of pieces.
  public var quantity = 1
  /// The stored receipt or signed transaction. Anything longer than 256 KiB is not kept: then the evidence comes from
  /// the store's queue, or the server asks Apple by the transaction's number.
  public var evidence: String?
  /// The store's number, if it was stored.
  public var transaction: TransactionIdentifier?
  /// The amount that the customer saw, for the server's journal.
  public var amount: String?
  /// Its currency.
  public var currency: String?

  /// A record with the minimum that such code stored: `orderId`, product and user.
  public init(reference: String, product: StoreProductIdentifier, user: UserIdentifier) {
    self.reference = reference
    self.product = product
    self.user = user
  }

  /// Whether a server could know it: number, product, user and quantity have the form that the vault keeps. Others are
  /// left out by `takeOver`, and stay with the app.
  public var isUsable: Bool { fitForVault != nil }

  /// Whether it can be submitted alone; without evidence or number only a transaction in the queue can complete it.
  var isEvidence: Bool { evidence != nil || transaction != nil }

  /// Merges this record into a known one: known facts are never erased.
  func merged(into old: EarlierRecord) -> EarlierRecord {
    var merged = self
    merged.evidence = evidence ?? old.evidence
    merged.transaction = transaction ?? old.transaction
    merged.amount = amount ?? old.amount
    merged.currency = currency ?? old.currency
    return merged
  }
}

/// An earlier record in the vault.
public struct KeptEarlierRecord: Hashable, Sendable {
  /// The item's name.
  public let id: RecordIdentifier
  /// The app.
  public let app: AppIdentifier
  /// The record that the app passed.
  public internal(set) var record: EarlierRecord
  /// When the app first passed it, by the device's clock.
  public let takenOverAt: Timestamp

  init(id: RecordIdentifier, app: AppIdentifier, record: EarlierRecord, takenOverAt: Timestamp) {
    self.id = id
    self.app = app
    self.record = record
    self.takenOverAt = takenOverAt
  }

  /// Whether a transaction in the queue may be its payment. The server decides.
  func mayBePaid(by transaction: StoreTransaction) -> Bool {
    guard let product = transaction.product, product == record.product else { return false }
    return record.transaction == nil || record.transaction == transaction.id
  }
}
