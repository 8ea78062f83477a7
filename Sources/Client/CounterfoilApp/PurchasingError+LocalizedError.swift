#if canImport(StoreKit)
  public import Counterfoil
  public import Foundation
  import PaymentPrimitives

  // `error.localizedDescription` gives the customer's words, in the language of the device.

  extension PurchasingError: LocalizedError {
    /// What happened, for the customer.
    public var errorDescription: String? { code.meaning[.ofThisDevice] }
    /// What the customer can do.
    public var recoverySuggestion: String? { code.remedy[.ofThisDevice] }
    /// The details, for a developer.
    public var failureReason: String? { details.isEmpty ? nil : details }
  }

  extension StoreFailure: LocalizedError {
    /// The store's own explanation, for a developer.
    public var errorDescription: String? { explanation }
  }
#endif
