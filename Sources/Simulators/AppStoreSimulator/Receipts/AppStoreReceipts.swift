package import PaymentPrimitives

/// Receipts for apps without StoreKit 2: one file for all purchases and, since iOS 6, one receipt for each purchase.
package struct AppStoreReceipts: Sendable {
  let store: SimulatedAppStore

  /// The app receipt of an account's app, in Base64: unfinished consumables, and all other purchases.
  ///
  /// A finished consumable is no longer in it (rule AS-RCPT-1). Unlike Apple's file, this one is always up to date.
  /// - Parameter vendor: `identifierForVendor` of the device that the receipt is for; nil for none.
  /// - Throws: `appUnknown` or `accountUnknown`.
  nonisolated(nonsending) package func appReceipt(
    of owner: AppOwner, for vendor: AppStoreUUID? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> String {
    try await store.read { snapshot throws(CodedError<SimulatorErrorCode>) in
      try ReceiptWriter(snapshot: snapshot).appReceipt(of: owner, for: vendor)
    }
  }

  /// The receipt of one transaction in the iOS 6 format, in Base64 (rule AS-RCPT-3).
  ///
  /// - Throws: `transactionUnknown`.
  nonisolated(nonsending) package func transactionReceipt(
    of id: TransactionIdentifier
  ) async throws(CodedError<SimulatorErrorCode>) -> String {
    try await store.read { snapshot throws(CodedError<SimulatorErrorCode>) in
      try ReceiptWriter(snapshot: snapshot).transactionReceipt(of: id)
    }
  }
}
