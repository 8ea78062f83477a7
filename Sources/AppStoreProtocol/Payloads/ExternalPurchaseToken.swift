public import PaymentVocabulary
public import StrictJSON

/// A token for purchases outside the App Store.
public struct ExternalPurchaseToken: Hashable, Sendable, PayloadPart {
  /// The token; one of the sandbox begins with `SANDBOX`.
  public var externalPurchaseId: String?
  /// When it was made.
  public var tokenCreationDate: Timestamp?
  /// The app's number.
  public var appAppleId: Int64?
  /// The app.
  public var bundleId: String?
  /// What it is for.
  public var tokenType: KnownOrRaw<ExternalPurchaseTokenType>?
  /// When it ends.
  public var tokenExpirationDate: Timestamp?

  /// Nothing stated.
  public init() {}
}

extension ExternalPurchaseToken {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    externalPurchaseId = try fields.text("externalPurchaseId")
    tokenCreationDate = try fields.date("tokenCreationDate")
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    tokenType = try fields.listed("tokenType")
    tokenExpirationDate = try fields.date("tokenExpirationDate")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
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
