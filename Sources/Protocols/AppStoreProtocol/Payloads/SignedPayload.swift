package import PaymentPrimitives

/// What the App Store signs: one of five kinds, each with its own type.
package protocol SignedPayload: PayloadPart {
  static var kind: SignedDataKind { get }
  /// What it claims of app, environment and time.
  var claims: SignedDataClaims { get }
}

/// The kinds of data that the App Store signs as JWS.
package enum SignedDataKind: String, CaseIterable, Sendable {
  case transaction
  /// What will become of a subscription.
  case renewalInfo
  /// An App Store Server Notification, version 2.
  case notification
  case appTransaction
  /// Apple's question which message to show to a customer who is about to leave.
  case realtimeRequest

  /// The kind of a payload, told by the members that only this kind has; nil when none of them is there.
  ///
  /// Of a payload with hardly any members it is a transaction if it names an app, otherwise renewal information,
  /// which is the one kind that names none.
  package static func recognized(in fields: PayloadFields) -> SignedDataKind? {
    if fields.has("notificationType") || fields.has("notificationUUID") { return .notification }
    if fields.has("receiptType") || fields.has("receiptCreationDate") { return .appTransaction }
    if fields.has("requestIdentifier") && fields.has("userLocale") { return .realtimeRequest }
    if fields.has("transactionId") || fields.has("purchaseDate") { return .transaction }
    if fields.has("autoRenewProductId") || fields.has("autoRenewStatus") { return .renewalInfo }
    if fields.has("bundleId") { return .transaction }
    return fields.has("signedDate") || fields.has("originalTransactionId") ? .renewalInfo : nil
  }
}

/// What a payload claims of app, environment and time: compared with what is expected.
package struct SignedDataClaims: Hashable, Sendable {
  /// By what a kind of payload names its app.
  package enum AppNaming: Sendable {
    case not
    case byBundle
    /// By its bundle id, and in production by its number too.
    case byBundleAndNumber
    case byNumber
  }

  /// By what this kind names its app.
  package var namesApp: AppNaming
  package var bundleId: String?
  /// The app's number at Apple; 0 or absent in the sandbox.
  package var appAppleId: Int64?
  /// Apple's word for the environment, as it came.
  package var environment: String?
  package var signedDate: Timestamp?

  package init(
    namesApp: AppNaming, bundleId: String? = nil, appAppleId: Int64? = nil,
    environment: String? = nil, signedDate: Timestamp? = nil
  ) {
    self.namesApp = namesApp
    self.bundleId = bundleId
    self.appAppleId = appAppleId
    self.environment = environment
    self.signedDate = signedDate
  }

  mutating func name(_ bundleId: String?, _ appAppleId: Int64?, _ environment: String?) {
    self.bundleId = bundleId
    self.appAppleId = appAppleId
    self.environment = environment
  }
}
