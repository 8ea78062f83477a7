package import PaymentPrimitives
package import StrictJSON

/// An App Store Server Notification, version 2, in Apple's words.
///
/// One of `data`, `summary`, `externalPurchaseToken`, `appData` and `unclaimInfo` is there. What is signed
/// inside is verified on its own by `SignedDataVerifier.verifyNotification`.
package struct ResponseBodyV2DecodedPayload: Hashable, Sendable, SignedPayload {
  package var notificationType: KnownOrRaw<NotificationTypeV2>?
  package var subtype: KnownOrRaw<Subtype>?
  /// Unique for a notification, and the same when it is sent again.
  package var notificationUUID: String?
  /// `2.0`
  package var version: String?
  /// When the App Store signed this; absent in the first ones of 2022.
  package var signedDate: Timestamp?
  package var data: NotificationData?
  /// The result of putting off many renewal dates.
  package var summary: NotificationSummary?
  /// A token for purchases outside the App Store.
  package var externalPurchaseToken: ExternalPurchaseToken?
  /// What notifications on the app itself carry.
  package var appData: AppData?
  package var unclaimInfo: UnclaimInfo?

  package init() {}
}

extension ResponseBodyV2DecodedPayload {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    notificationType = try fields.listed("notificationType")
    subtype = try fields.listed("subtype")
    notificationUUID = try fields.text("notificationUUID")
    version = try fields.text("version")
    signedDate = try fields.date("signedDate")
    data = try fields.object("data")
    summary = try fields.object("summary")
    externalPurchaseToken = try fields.object("externalPurchaseToken")
    appData = try fields.object("appData")
    unclaimInfo = try fields.object("unclaimInfo")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
    .members([
      ("notificationType", .listed(notificationType)),
      ("subtype", .listed(subtype)),
      ("notificationUUID", .text(notificationUUID)),
      ("version", .text(version)),
      ("signedDate", .date(signedDate)),
      ("data", .object(data)),
      ("summary", .object(summary)),
      ("externalPurchaseToken", .object(externalPurchaseToken)),
      ("appData", .object(appData)),
      ("unclaimInfo", .object(unclaimInfo)),
    ])
  }
}

extension ResponseBodyV2DecodedPayload {
  package static var kind: SignedDataKind { .notification }

  /// What it claims of app, environment and time, from whichever part is there.
  package var claims: SignedDataClaims {
    var claims = SignedDataClaims(namesApp: .byBundleAndNumber, signedDate: signedDate)
    if let data {
      claims.name(data.bundleId, data.appAppleId, data.environment?.rawValue)
    } else if let summary {
      claims.name(summary.bundleId, summary.appAppleId, summary.environment?.rawValue)
    } else if let token = externalPurchaseToken {
      claims.name(token.bundleId, token.appAppleId, token.environment?.rawValue)
    } else if let appData {
      claims.name(appData.bundleId, appData.appAppleId, appData.environment?.rawValue)
    } else if let unclaimInfo {
      claims.name(unclaimInfo.bundleId, unclaimInfo.appAppleId, unclaimInfo.environment?.rawValue)
    }
    return claims
  }
}
