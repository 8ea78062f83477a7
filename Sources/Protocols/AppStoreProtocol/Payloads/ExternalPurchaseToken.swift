package import PaymentPrimitives
package import StrictJSON

/// A token for purchases outside the App Store.
package struct ExternalPurchaseToken: Hashable, Sendable, PayloadPart {
  /// The token; a sandbox token begins with `SANDBOX`.
  package var externalPurchaseId: String?
  package var tokenCreationDate: Timestamp?
  package var appAppleId: Int64?
  package var bundleId: String?
  package var tokenType: KnownOrRaw<ExternalPurchaseTokenType>?
  package var tokenExpirationDate: Timestamp?

  package init() {}
}

extension ExternalPurchaseToken {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    externalPurchaseId = try fields.text("externalPurchaseId")
    tokenCreationDate = try fields.date("tokenCreationDate")
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    tokenType = try fields.listed("tokenType")
    tokenExpirationDate = try fields.date("tokenExpirationDate")
  }

  /// The value as a JSON object; absent fields are left out.
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
  /// The environment; only the prefix of the token shows it.
  var environment: AppStoreEnvironment? {
    externalPurchaseId.map { $0.utf8.starts(with: "SANDBOX".utf8) ? .sandbox : .production }
  }
}
