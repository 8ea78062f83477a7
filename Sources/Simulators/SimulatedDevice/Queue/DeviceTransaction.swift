package import AppStoreSimulator

/// A signed transaction as a device shows it to StoreKit 2.
package struct DeviceTransaction: Hashable, Sendable {
  package let transaction: SimulatedTransaction
  /// The signed form, made for this device.
  package let signed: String
  /// Whether the device could check the signature (rule SK2-12).
  package let isVerified: Bool
}

/// The result of StoreKit 2's `purchase()`.
package enum PurchaseAnswer: Hashable, Sendable {
  case success(DeviceTransaction)
  /// The purchase waits for a parent; there is no object for it (rule SK2-4).
  case pending
  /// The customer cancelled, or the device reports so (rule SK2-5).
  case cancelled
  case failed(DeviceFailure)
}
