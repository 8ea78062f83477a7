public import PaymentVocabulary
public import StrictJSON

/// The download of an app by a customer, as the App Store signs it, in Apple's words.
public struct AppTransaction: Hashable, Sendable, SignedPayload {
  /// Which App Store.
  public var receiptType: KnownOrRaw<AppStoreEnvironment>?
  /// The app's number; 0 or absent outside production.
  public var appAppleId: Int64?
  /// The app.
  public var bundleId: String?
  /// Its version.
  public var applicationVersion: String?
  /// Apple's number of that version.
  public var versionExternalIdentifier: Int64?
  /// When the App Store signed this.
  public var receiptCreationDate: Timestamp?
  /// When the customer first got the app.
  public var originalPurchaseDate: Timestamp?
  /// Which version that was.
  public var originalApplicationVersion: String?
  /// SHA-384 of nonce and device id, Base64.
  public var deviceVerification: String?
  /// The UUID that was hashed with the device's.
  public var deviceVerificationNonce: String?
  /// When it was ordered before it came out.
  public var preorderDate: Timestamp?
  /// One for each Apple account and app.
  public var appTransactionId: String?
  /// On which platform it was first got.
  public var originalPlatform: KnownOrRaw<PurchasePlatform>?
  /// Xcode only: when it was asked for.
  public var requestDate: Timestamp?

  /// Nothing stated.
  public init() {}
}

extension AppTransaction {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
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
  public var json: JSONValue {
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
  /// What it is.
  public static var kind: SignedDataKind { .appTransaction }

  /// What it claims of app, environment and time.
  public var claims: SignedDataClaims {
    SignedDataClaims(
      namesApp: .byBundleAndNumber, bundleId: bundleId, appAppleId: appAppleId,
      environment: receiptType?.rawValue, signedDate: receiptCreationDate)
  }
}
