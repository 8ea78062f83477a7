public import PaymentVocabulary
public import StrictJSON

/// Apple's question which message to show to a customer who is about to leave, in Apple's words.
public struct DecodedRealtimeRequestBody: Hashable, Sendable, SignedPayload {
  /// The line.
  public var originalTransactionId: String?
  /// The app's number.
  public var appAppleId: Int64?
  /// The product.
  public var productId: String?
  /// The customer's language.
  public var userLocale: String?
  /// The id of the question.
  public var requestIdentifier: String?
  /// When the App Store signed this.
  public var signedDate: Timestamp?
  /// Which App Store.
  public var environment: KnownOrRaw<AppStoreEnvironment>?

  /// Nothing stated.
  public init() {}
}

extension DecodedRealtimeRequestBody {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    originalTransactionId = try fields.text("originalTransactionId")
    appAppleId = try fields.integer("appAppleId")
    productId = try fields.text("productId")
    userLocale = try fields.text("userLocale")
    requestIdentifier = try fields.text("requestIdentifier")
    signedDate = try fields.date("signedDate")
    environment = try fields.listed("environment")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("originalTransactionId", .text(originalTransactionId)),
      ("appAppleId", .integer(appAppleId)),
      ("productId", .text(productId)),
      ("userLocale", .text(userLocale)),
      ("requestIdentifier", .text(requestIdentifier)),
      ("signedDate", .date(signedDate)),
      ("environment", .listed(environment)),
    ])
  }
}

extension DecodedRealtimeRequestBody {
  /// What it is.
  public static var kind: SignedDataKind { .realtimeRequest }

  /// What it claims of app, environment and time.
  public var claims: SignedDataClaims {
    SignedDataClaims(
      namesApp: .byNumber, appAppleId: appAppleId, environment: environment?.rawValue,
      signedDate: signedDate)
  }
}
