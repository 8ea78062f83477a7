public import AppStoreSimulator

/// A signed transaction as a device shows it to StoreKit 2.
public struct DeviceTransaction: Hashable, Sendable {
  /// What the store knows.
  public let transaction: SimulatedTransaction
  /// What it signed, for this device.
  public let signed: String
  /// Whether the device could check the signature (rule SK2-12).
  public let isVerified: Bool
}

/// What StoreKit 2's `purchase()` comes back with.
public enum PurchaseAnswer: Hashable, Sendable {
  /// Charged.
  case success(DeviceTransaction)
  /// Waits for a parent; there is no object for it (rule SK2-4).
  case pending
  /// The customer gave up, or so it seems (rule SK2-5).
  case cancelled
  /// It failed.
  case failed(DeviceFailure)
}
