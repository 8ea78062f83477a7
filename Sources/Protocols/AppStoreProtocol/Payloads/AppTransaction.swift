package import PaymentPrimitives
package import StrictJSON

/// The download of an app by a customer, as the App Store signs it, in Apple's words.
package struct AppTransaction: Hashable, Sendable, SignedPayload {
  package var receiptType: KnownOrRaw<AppStoreEnvironment>?
  /// The app's number; 0 or absent outside production.
  package var appAppleId: Int64?
  package var bundleId: String?
  package var applicationVersion: String?
  package var versionExternalIdentifier: Int64?
  /// When the App Store signed this.
  package var receiptCreationDate: Timestamp?
  /// When the customer first got the app.
  package var originalPurchaseDate: Timestamp?
  package var originalApplicationVersion: String?
  /// SHA-384 of nonce and device id, Base64.
  package var deviceVerification: String?
  /// The UUID that was hashed with the device's.
  package var deviceVerificationNonce: String?
  /// When it was ordered before it came out.
  package var preorderDate: Timestamp?
  /// One for each Apple account and app.
  package var appTransactionId: String?
  /// On which platform it was first got.
  package var originalPlatform: KnownOrRaw<PurchasePlatform>?
  /// Xcode only: when it was asked for.
  package var requestDate: Timestamp?

  package init() {}
}

extension AppTransaction {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    receiptType = try fields.listed("receiptType")
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    applicationVersion = try fields.text("applicationVersion")
    versionExternalIdentifier = try fields.integer("versionExternalIdentifier")
    receiptCreationDate = try fields.date("receiptCreationDate")
    originalPurchaseDate = try fields.date("originalPurchaseDate")
    originalApplicationVersion = try fields.text("originalApplicationVersion")
    deviceVerification = try fields.text("deviceVerification")
    deviceVerificationNonce = try fields.text("deviceVerificationNonce")
    preorderDate = try fields.date("preorderDate")
    appTransactionId = try fields.text("appTransactionId")
    originalPlatform = try fields.listed("originalPlatform")
    requestDate = try fields.date("requestDate")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
    .members([
      ("receiptType", .listed(receiptType)),
      ("appAppleId", .integer(appAppleId)),
      ("bundleId", .text(bundleId)),
      ("applicationVersion", .text(applicationVersion)),
      ("versionExternalIdentifier", .integer(versionExternalIdentifier)),
      ("receiptCreationDate", .date(receiptCreationDate)),
      ("originalPurchaseDate", .date(originalPurchaseDate)),
      ("originalApplicationVersion", .text(originalApplicationVersion)),
      ("deviceVerification", .text(deviceVerification)),
      ("deviceVerificationNonce", .text(deviceVerificationNonce)),
      ("preorderDate", .date(preorderDate)),
      ("appTransactionId", .text(appTransactionId)),
      ("originalPlatform", .listed(originalPlatform)),
      ("requestDate", .date(requestDate)),
    ])
  }
}

extension AppTransaction {
  package static var kind: SignedDataKind { .appTransaction }

  /// What it claims of app, environment and time.
  package var claims: SignedDataClaims {
    SignedDataClaims(
      namesApp: .byBundleAndNumber, bundleId: bundleId, appAppleId: appAppleId,
      environment: receiptType?.rawValue, signedDate: receiptCreationDate)
  }
}
