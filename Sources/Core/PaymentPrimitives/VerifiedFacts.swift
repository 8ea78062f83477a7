/// What a `VerifiedPayment` states, while it is put together; all copies of the payment share it.
///
/// `VerifiedPayment` says what each fact is.
package struct VerifiedFacts: Hashable, Sendable {
  package var key: PaymentKey
  package var originalTransaction: TransactionIdentifier
  package var webOrderLineItem: String?
  package var storeProduct: StoreProductIdentifier
  package var kind: ProductKind
  package var quantity: Int
  package var purchaseDate: Timestamp
  package var originalPurchaseDate: Timestamp?
  package var expiresDate: Timestamp?
  package var signedDate: Timestamp
  package var token: OrderIdentifier?
  package var ownership = Ownership.purchased
  package var appTransaction: String?
  package var revocation: Revocation?
  package var price: StatedPrice?
  package var merchant: String?
  package var storeApp: String?
  package var isRenewal = false
  package var isUpgraded = false
  package var storefront: String?
  package var offer: StatedOffer?

  package init(
    key: PaymentKey, originalTransaction: TransactionIdentifier, storeProduct: StoreProductIdentifier,
    kind: ProductKind,
    quantity: Int, purchaseDate: Timestamp, signedDate: Timestamp
  ) {
    self.key = key
    self.originalTransaction = originalTransaction
    self.storeProduct = storeProduct
    self.kind = kind
    self.quantity = quantity
    self.purchaseDate = purchaseDate
    self.signedDate = signedDate
  }
}
