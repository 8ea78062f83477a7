package import PaymentPrimitives
package import StrictJSON

/// An App Store Server Notification, version 2, with Apple's field names.
///
/// It has exactly one of `data`, `summary`, `externalPurchaseToken`, `appData` and `unclaimInfo`.
/// `SignedDataVerifier.verifyNotification` verifies the signed parts inside separately.
package struct ResponseBodyV2DecodedPayload: Hashable, Sendable, SignedPayload {
  package var notificationType: KnownOrRaw<NotificationTypeV2>?
  package var subtype: KnownOrRaw<Subtype>?
  /// A unique id of the notification; it stays the same when Apple sends the notification again.
  package var notificationUUID: String?
  /// The version: `2.0`.
  package var version: String?
  /// The time at which the App Store signed this; absent in the first notifications of 2022.
  package var signedDate: Timestamp?
  package var data: NotificationData?
  /// The result of a mass extension of renewal dates.
  package var summary: NotificationSummary?
  /// A token for purchases outside the App Store.
  package var externalPurchaseToken: ExternalPurchaseToken?
  /// The content of a notification about the app itself.
  package var appData: AppData?
  package var unclaimInfo: UnclaimInfo?

  package init() {}
}

extension ResponseBodyV2DecodedPayload {
  /// Reads a JSON object; unknown members are ignored.
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

  /// The value as a JSON object; absent fields are left out.
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

  /// The claimed app, environment and signing time, from the part that is present.
  package var claims: SignedDataClaims {
    var claims = SignedDataClaims(namesApp: .byBundleAndNumber, signedDate: signedDate)
    if let data {
      claims.name(data.bundleId, data.appAppleId, environment: data.environment?.rawValue)
    } else if let summary {
      claims.name(summary.bundleId, summary.appAppleId, environment: summary.environment?.rawValue)
    } else if let token = externalPurchaseToken {
      claims.name(token.bundleId, token.appAppleId, environment: token.environment?.rawValue)
    } else if let appData {
      claims.name(appData.bundleId, appData.appAppleId, environment: appData.environment?.rawValue)
    } else if let unclaimInfo {
      claims.name(unclaimInfo.bundleId, unclaimInfo.appAppleId, environment: unclaimInfo.environment?.rawValue)
    }
    return claims
  }
}
