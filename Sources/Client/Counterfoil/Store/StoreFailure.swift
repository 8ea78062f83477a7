public import PaymentPrimitives

/// Why the store did not do what it was asked, as it said.
public struct StoreFailure: Error, Hashable, Sendable {
  /// What kind of failure it is, as far as the store's own code tells. None of them proves that nothing was charged.
  public enum Kind: String, Hashable, CaseIterable, Sendable {
    /// The customer gave up. It may be wrong (SK2-5).
    case cancelled
    /// The store knows no such product, or does not sell it here (1A.22).
    case productUnavailable
    /// This device or account may not pay.
    case paymentNotAllowed
    /// The offer is not for this customer, or its signature is wrong.
    case offerNotAllowed
    /// The store could not be reached.
    case storeUnreachable
    /// Anything else: terms to be accepted, a payment method to be confirmed, an unknown error.
    case other
  }

  /// The kind.
  public let kind: Kind
  /// The store's number, as `SKError.Code` counts; 0 where it has none.
  public let code: Int
  /// The number of the error within that error, where there is one: 3038 for changed terms, 2024 for a payment that
  /// has to be confirmed.
  public let innerCode: Int?
  /// The store's own words, for a developer; no person, no token.
  public let explanation: String

  /// How long after the sheet was asked for it came, where the adapter knows. A cancellation at once is nobody's: there
  /// was no sheet.
  public private(set) var sheetTime: TimeSpan?

  /// Whether the store says that the customer gave up.
  public var isCancelled: Bool { kind == .cancelled }

  /// A failure as the store stated it.
  public init(_ kind: Kind, code: Int = 0, innerCode: Int? = nil, explanation: String) {
    self.kind = kind
    self.code = code
    self.innerCode = innerCode
    self.explanation = explanation
  }

  /// The same failure, so long after the sheet was asked for.
  public func after(_ span: TimeSpan) -> StoreFailure {
    var failure = self
    failure.sheetTime = max(span, .zero)
    return failure
  }

  /// A failure of which nothing else is known than whether the customer gave up.
  public init(code: Int = 0, isCancelled: Bool = false, explanation: String) {
    self.init(isCancelled ? .cancelled : .other, code: code, explanation: explanation)
  }
}
