package import PaymentPrimitives
package import StrictJSON

/// The download of an app by a customer, as the App Store signs it, with Apple's field names.
package struct AppTransaction: Hashable, Sendable, SignedPayload {
  package var receiptType: KnownOrRaw<AppStoreEnvironment>?
  /// Apple's number of the app; 0 or absent outside production.
  package var appAppleId: Int64?
  package var bundleId: String?
  package var applicationVersion: String?
  package var versionExternalIdentifier: Int64?
  /// The time at which the App Store signed this.
  package var receiptCreationDate: Timestamp?
  /// The time at which the customer first got the app.
  package var originalPurchaseDate: Timestamp?
  package var originalApplicationVersion: String?
  /// SHA-384 of the nonce and the device id, in Base64.
  package var deviceVerification: String?
  /// The UUID that is hashed with the device's UUID.
  package var deviceVerificationNonce: String?
  /// The time of the pre-order, if the customer ordered the app before its release.
  package var preorderDate: Timestamp?
  /// An id that is unique for each Apple account and app.
  package var appTransactionId: String?
  /// The platform on which the customer first got the app.
  package var originalPlatform: KnownOrRaw<PurchasePlatform>?
  /// The time of the request; in data from Xcode only.
  package var requestDate: Timestamp?

  package init() {}
}

extension AppTransaction {
  /// Reads a JSON object; unknown members are ignored.
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

  /// The value as a JSON object; absent fields are left out.
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

  /// The claimed app, environment and signing time.
  package var claims: SignedDataClaims {
    SignedDataClaims(
      namesApp: .byBundleAndNumber, bundleId: bundleId, appAppleId: appAppleId,
      environment: receiptType?.rawValue, signedDate: receiptCreationDate)
  }
}
