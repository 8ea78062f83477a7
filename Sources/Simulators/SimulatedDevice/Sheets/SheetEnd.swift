import AppStoreSimulator
import PaymentPrimitives

/// How a payment sheet ended.
enum SheetEnd: Sendable {
  case charged(SimulatedPurchase)
  /// Charged, but the device reports nothing (rule SK2-1).
  case silent
  /// The app ended before the password, so the sheet closed (rule DEV-3).
  case gone
  case deferred
  case cancelled
  case failed(DeviceFailure)
  /// Failed, because Apple requires consent first. The time is the delay until the customer accepts; nil: never (rule
  /// SK1-14).
  case interrupted(DeviceFailure, consent: TimeSpan?)
}
