package import PaymentPrimitives
package import StrictJSON

/// A token for purchases outside the App Store.
package struct ExternalPurchaseToken: Hashable, Sendable, PayloadPart {
  /// The token; one of the sandbox begins with `SANDBOX`.
  package var externalPurchaseId: String?
  package var tokenCreationDate: Timestamp?
  package var appAppleId: Int64?
  package var bundleId: String?
  package var tokenType: KnownOrRaw<ExternalPurchaseTokenType>?
  package var tokenExpirationDate: Timestamp?

  package init() {}
}

extension ExternalPurchaseToken {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    externalPurchaseId = try fields.text("externalPurchaseId")
    tokenCreationDate = try fields.date("tokenCreationDate")
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    tokenType = try fields.listed("tokenType")
    tokenExpirationDate = try fields.date("tokenExpirationDate")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
    .members([
      ("externalPurchaseId", .text(externalPurchaseId)),
      ("tokenCreationDate", .date(tokenCreationDate)),
      ("appAppleId", .integer(appAppleId)),
      ("bundleId", .text(bundleId)),
      ("tokenType", .listed(tokenType)),
      ("tokenExpirationDate", .date(tokenExpirationDate)),
    ])
  }
}

extension ExternalPurchaseToken {
  /// The environment, which only the beginning of the token tells.
  var environment: AppStoreEnvironment? {
    externalPurchaseId.map { $0.utf8.starts(with: "SANDBOX".utf8) ? .sandbox : .production }
  }
}
