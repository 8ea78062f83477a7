public import PaymentPrimitives

/// What an app's earlier, hand-written code had stored of a purchase: handed in once, after the update to this library
/// (`Purchasing.takeOver`).
///
/// What is in flight is completed; what was bought before the server's cut-over is held for the operator or recognised
/// as delivered, as the server decides.
public struct EarlierRecord: Hashable, Sendable {
  /// The app's own order number, 1 to 64 characters.
  public var reference: String
  /// Apple's product id.
  public var product: StoreProductIdentifier
  /// Whose purchase it is.
  public var user: UserIdentifier
  /// Pieces.
  public var quantity = 1
  /// The receipt or signed transaction that was stored. Longer ones than 256 KiB are not kept: the store's queue is
  /// asked for the evidence then, or the server asks Apple by the transaction's number.
  public var evidence: String?
  /// The store's number, if it was stored.
  public var transaction: TransactionIdentifier?
  /// What the customer was shown, for the server's journal.
  public var amount: String?
  /// Its currency.
  public var currency: String?

  /// A record with what even the shortest of such codes had: `orderId`, product and user.
  public init(reference: String, product: StoreProductIdentifier, user: UserIdentifier) {
    self.reference = reference
    self.product = product
    self.user = user
  }

  /// Whether it can be handed in by itself; without evidence or number only a transaction in the queue can complete it.
  var isEvidence: Bool { evidence != nil || transaction != nil }

  /// This record on top of what was known: nothing that was known is erased.
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
  /// What was handed in.
  public internal(set) var record: EarlierRecord
  /// When it was first handed in, by the device's clock.
  public let takenOverAt: Timestamp

  init(id: RecordIdentifier, app: AppIdentifier, record: EarlierRecord, takenOverAt: Timestamp) {
    self.id = id
    self.app = app
    self.record = record
    self.takenOverAt = takenOverAt
  }

  /// Whether a transaction in the queue may be the payment of it. The server decides.
  func mayBePaid(by transaction: StoreTransaction) -> Bool {
    guard let product = transaction.product, product == record.product else { return false }
    return record.transaction == nil || record.transaction == transaction.id
  }
}
