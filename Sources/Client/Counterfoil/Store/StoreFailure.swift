public import PaymentPrimitives

/// Why the store did not carry out a request, as the store states it.
public struct StoreFailure: Error, Hashable, Sendable {
  /// The kind of failure, as far as the store's own code shows it. None of them proves that nothing was charged.
  public enum Kind: String, Hashable, CaseIterable, Sendable {
    /// The customer cancelled. This may be wrong (SK2-5).
    case cancelled
    /// The store knows no such product, or does not sell it here (1A.22).
    case productUnavailable
    /// This device or account may not pay.
    case paymentNotAllowed
    /// This customer is not eligible for the offer, or its signature is wrong.
    case offerNotAllowed
    /// The store could not be reached.
    case storeUnreachable
    /// No one is signed in to the App Store on this device (1A.48).
    case notSignedIn
    /// Anything else: terms to be accepted, a payment method to be confirmed, an unknown error.
    case other
  }

  /// The kind.
  public let kind: Kind
  /// The store's number, as in `SKError.Code`; 0 if it has none.
  public let code: Int
  /// The number of the underlying error, if there is one: 3038 for changed terms, 2024 for a payment that has to be
  /// confirmed.
  public let innerCode: Int?
  /// The store's own text, for a developer; no personal data, no token.
  public let explanation: String

  /// One error of the system behind this failure, as searches and support name it: `ASDErrorDomain 509`.
  public struct Cause: Hashable, Sendable, CustomStringConvertible {
    /// The domain of the error.
    public let domain: String
    /// Its number in that domain.
    public let code: Int

    /// An error by its domain and number.
    public init(domain: String, code: Int) {
      self.domain = domain
      self.code = code
    }

    public var description: String { "\(domain) \(code)" }
  }

  /// The errors of the system behind this failure, outermost first; empty if the store named none.
  public private(set) var causes: [Cause] = []

  /// Time from the request for the sheet to this failure, if the adapter knows it. An immediate cancellation does not
  /// come from the customer: there was no sheet.
  public private(set) var sheetTime: TimeSpan?

  /// Whether the store says that the customer cancelled.
  public var isCancelled: Bool { kind == .cancelled }

  /// A failure as the store stated it.
  public init(_ kind: Kind, code: Int = 0, innerCode: Int? = nil, explanation: String) {
    self.kind = kind
    self.code = code
    self.innerCode = innerCode
    self.explanation = explanation
  }

  /// The same failure with the time since the sheet was requested.
  public func after(_ span: TimeSpan) -> StoreFailure {
    var failure = self
    failure.sheetTime = max(span, .zero)
    return failure
  }

  /// The same failure with the errors of the system behind it.
  public func caused(by causes: [Cause]) -> StoreFailure {
    var failure = self
    failure.causes = Array(causes.prefix(Self.causesMax))
    return failure
  }

  /// Errors that stand behind each other are few; a loop of them ends here.
  private static let causesMax = 8

  /// A failure with only its number, its text, and whether the customer cancelled.
  public init(code: Int = 0, isCancelled: Bool = false, explanation: String) {
    self.init(isCancelled ? .cancelled : .other, code: code, explanation: explanation)
  }
}
