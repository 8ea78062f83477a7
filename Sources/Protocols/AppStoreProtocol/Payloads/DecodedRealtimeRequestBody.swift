package import PaymentPrimitives
package import StrictJSON

/// Apple's request for the message to show to a customer who is about to cancel, with Apple's field names.
package struct DecodedRealtimeRequestBody: Hashable, Sendable, SignedPayload {
  package var originalTransactionId: String?
  package var appAppleId: Int64?
  package var productId: String?
  package var userLocale: String?
  package var requestIdentifier: String?
  /// The time at which the App Store signed this.
  package var signedDate: Timestamp?
  package var environment: KnownOrRaw<AppStoreEnvironment>?

  package init() {}
}

extension DecodedRealtimeRequestBody {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    originalTransactionId = try fields.text("originalTransactionId")
    appAppleId = try fields.integer("appAppleId")
    productId = try fields.text("productId")
    userLocale = try fields.text("userLocale")
    requestIdentifier = try fields.text("requestIdentifier")
    signedDate = try fields.date("signedDate")
    environment = try fields.listed("environment")
  }

  /// The value as a JSON object; absent fields are left out.
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

  /// The claimed app, environment and signing time.
  package var claims: SignedDataClaims {
    SignedDataClaims(
      namesApp: .byNumber, appAppleId: appAppleId, environment: environment?.rawValue,
      signedDate: signedDate)
  }
}
