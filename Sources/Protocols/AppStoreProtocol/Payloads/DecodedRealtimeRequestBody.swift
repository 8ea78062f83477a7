package import PaymentPrimitives
package import StrictJSON

/// Apple's question which message to show to a customer who is about to leave, in Apple's words.
package struct DecodedRealtimeRequestBody: Hashable, Sendable, SignedPayload {
  package var originalTransactionId: String?
  package var appAppleId: Int64?
  package var productId: String?
  package var userLocale: String?
  package var requestIdentifier: String?
  /// When the App Store signed this.
  package var signedDate: Timestamp?
  package var environment: KnownOrRaw<AppStoreEnvironment>?

  package init() {}
}

extension DecodedRealtimeRequestBody {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    originalTransactionId = try fields.text("originalTransactionId")
    appAppleId = try fields.integer("appAppleId")
    productId = try fields.text("productId")
    userLocale = try fields.text("userLocale")
    requestIdentifier = try fields.text("requestIdentifier")
    signedDate = try fields.date("signedDate")
    environment = try fields.listed("environment")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
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
  package static var kind: SignedDataKind { .realtimeRequest }

  /// What it claims of app, environment and time.
  package var claims: SignedDataClaims {
    SignedDataClaims(
      namesApp: .byNumber, appAppleId: appAppleId, environment: environment?.rawValue,
      signedDate: signedDate)
  }
}
