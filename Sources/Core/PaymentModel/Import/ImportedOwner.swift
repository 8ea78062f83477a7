package import PaymentPrimitives

/// Whose a transaction was by the earlier system's books: the team's word. Without the store's signature it grants
/// nothing; it says who owns what the store's evidence shows.
package struct ImportedOwner: Hashable, Sendable {
  /// The transaction; of a line or a lasting right the first one.
  package let transaction: PaymentKey
  package let user: UserIdentifier
  /// What he bought, where the books say so.
  package let product: StoreProductIdentifier?
  package let importedAt: Timestamp

  /// An entry of the earlier system's books.
  package init(
    transaction: PaymentKey, user: UserIdentifier, product: StoreProductIdentifier?, importedAt: Timestamp
  ) {
    self.transaction = transaction
    self.user = user
    self.product = product
    self.importedAt = importedAt
  }
}
