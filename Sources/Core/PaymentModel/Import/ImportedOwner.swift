package import PaymentPrimitives

/// The owner of a transaction according to the earlier system, as imported by the team. Without the store's signature
/// it grants nothing. It names the owner of what the store's evidence shows.
package struct ImportedOwner: Hashable, Sendable {
  /// The transaction; for a subscription or a lasting entitlement, the first one.
  package let transaction: PaymentKey
  package let user: UserIdentifier
  /// The product, if the earlier system recorded it.
  package let product: StoreProductIdentifier?
  package let importedAt: Timestamp

  /// A record of the earlier system.
  package init(
    transaction: PaymentKey, user: UserIdentifier, product: StoreProductIdentifier?, importedAt: Timestamp
  ) {
    self.transaction = transaction
    self.user = user
    self.product = product
    self.importedAt = importedAt
  }
}
