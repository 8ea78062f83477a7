package import PaymentPrimitives

/// Data that the App Store signs: one of five kinds, each with its own type.
package protocol SignedPayload: PayloadPart {
  static var kind: SignedDataKind { get }
  /// The claimed app, environment and signing time.
  var claims: SignedDataClaims { get }
}

/// The kinds of data that the App Store signs as JWS.
package enum SignedDataKind: String, CaseIterable, Sendable {
  case transaction
  /// Renewal information of a subscription.
  case renewalInfo
  /// An App Store Server Notification, version 2.
  case notification
  case appTransaction
  /// Apple's request for the message to show to a customer who is about to cancel.
  case realtimeRequest

  /// The kind of a payload, recognized by its characteristic members; nil if none of them is present.
  ///
  /// If a payload has hardly any members, it is a transaction if it names an app. Otherwise it is renewal information,
  /// the only kind that names no app.
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

/// The app, environment and time that a payload claims, for comparison with the expected ones.
package struct SignedDataClaims: Hashable, Sendable {
  /// How a kind of payload names its app.
  package enum AppNaming: Sendable {
    case not
    case byBundle
    /// By bundle id, and in production also by number.
    case byBundleAndNumber
    case byNumber
  }

  /// How this kind names its app.
  package var namesApp: AppNaming
  package var bundleId: String?
  /// Apple's number of the app; 0 or absent in the sandbox.
  package var appAppleId: Int64?
  /// Apple's word for the environment, unchanged.
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

  mutating func name(_ bundleId: String?, _ appAppleId: Int64?, environment: String?) {
    self.bundleId = bundleId
    self.appAppleId = appAppleId
    self.environment = environment
  }
}
