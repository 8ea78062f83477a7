package import AppStoreSimulator

/// A signed transaction as a device shows it to StoreKit 2.
package struct DeviceTransaction: Hashable, Sendable {
  package let transaction: SimulatedTransaction
  /// What it signed, for this device.
  package let signed: String
  /// Whether the device could check the signature (rule SK2-12).
  package let isVerified: Bool
}

/// What StoreKit 2's `purchase()` comes back with.
package enum PurchaseAnswer: Hashable, Sendable {
  case success(DeviceTransaction)
  /// Waits for a parent; there is no object for it (rule SK2-4).
  case pending
  /// The customer gave up, or so it seems (rule SK2-5).
  case cancelled
  case failed(DeviceFailure)
}
