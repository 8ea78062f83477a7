package import PaymentPrimitives
package import StrictJSON

/// The receipt that `verifyReceipt` decodes, in two forms. The unified form since iOS 7 has a list; the flat form of
/// iOS 6 is a single transaction.
package struct VerifyReceiptResponse: Hashable, Sendable {
  package let status: KnownOrRaw<VerifyReceiptStatus>
  /// Whether a retry helps; only present with errors.
  package let isRetryable: Bool?
  package let environment: KnownOrRaw<AppStoreEnvironment>?
  /// The decoded receipt; nil if Apple rejected it.
  package let receipt: VerifyReceiptReceipt?
  /// The newest receipt in Base64; only with subscriptions.
  package let latestReceipt: String?
  /// All transactions except finished consumables, unordered; only with subscriptions.
  package let latestReceiptInfo: [VerifyReceiptEntry]
  /// The last period of an expired subscription; flat form only.
  package let latestExpiredReceiptInfo: [VerifyReceiptEntry]
  /// The renewal information of each subscription.
  package let pendingRenewalInfo: [VerifyReceiptRenewal]

  /// Reads a JSON answer; unknown members are ignored.
  package init(_ value: JSONValue) throws(PayloadProblem) {
    let fields = try VerifyReceiptFields(value)
    guard let status = try fields.integer("status") else {
      throw PayloadProblem(path: "status", expected: "there")
    }
    self.status = KnownOrRaw(status)
    // Apple writes a hyphen; recordings of others have an underscore.
    isRetryable = try fields.has("is-retryable") ? fields.flag("is-retryable") : fields.flag("is_retryable")
    environment = try fields.listed("environment")
    if let value = try fields.object("receipt") {
      receipt = try VerifyReceiptReceipt(value)
    } else {
      receipt = nil
    }
    latestReceipt = try fields.text("latest_receipt")
    latestReceiptInfo = try Self.entries(fields, "latest_receipt_info")
    latestExpiredReceiptInfo = try Self.entries(fields, "latest_expired_receipt_info")
    var renewals: [VerifyReceiptRenewal] = []
    for item in try fields.items("pending_renewal_info") { renewals.append(try VerifyReceiptRenewal(item)) }
    pendingRenewalInfo = renewals
  }

  fileprivate static func entries(
    _ fields: VerifyReceiptFields, _ name: String
  ) throws(PayloadProblem) -> [VerifyReceiptEntry] {
    var entries: [VerifyReceiptEntry] = []
    for item in try fields.items(name) { entries.append(try VerifyReceiptEntry(item)) }
    return entries
  }

  /// All transactions of all lists, each once. The list that Apple keeps newest has priority. Each transaction counts
  /// separately. An empty list means that there was no purchase, or that all purchases are finished.
  package var transactions: [VerifyReceiptEntry] {
    var seen: Set<[UInt8]> = []
    return (latestReceiptInfo + latestExpiredReceiptInfo + (receipt?.inApp ?? [])).filter { entry in
      guard let id = entry.transactionId else { return true }
      return seen.insert(Array(id.utf8)).inserted
    }
  }
}

package struct VerifyReceiptReceipt: Hashable, Sendable {
  /// `Production`, `ProductionSandbox`, `ProductionVPP`, `ProductionVPPSandbox`; nil in the flat form.
  package let receiptType: String?
  /// The bundle id of the app. The caller must compare it: Apple decodes receipts of any app.
  package let bundleId: String?
  package let applicationVersion: String?
  /// The build of the first download.
  package let originalApplicationVersion: String?
  /// Apple's number of the app; 0 in the sandbox.
  package let adamId: String?
  package let downloadId: String?
  package let receiptCreationDate: Timestamp?
  package let requestDate: Timestamp?
  /// The time of the first download of the app.
  package let originalPurchaseDate: Timestamp?
  /// The time of the pre-order.
  package let preorderDate: Timestamp?
  /// The expiry of the receipt; only for volume purchases.
  package let expirationDate: Timestamp?
  /// Whether it is the flat form, a single transaction of iOS 6.
  package let isFlat: Bool
  /// The transactions, unordered; several unfinished consumables may occur at once.
  package let inApp: [VerifyReceiptEntry]

  init(_ value: JSONValue) throws(PayloadProblem) {
    let fields = try VerifyReceiptFields(value)
    receiptType = try fields.text("receipt_type")
    bundleId = try fields.text("bundle_id", "bid")
    applicationVersion = try fields.text("application_version", "bvrs")
    originalApplicationVersion = try fields.text("original_application_version")
    adamId = try fields.text("adam_id", "app_item_id")
    downloadId = try fields.text("download_id")
    receiptCreationDate = try fields.date("receipt_creation_date")
    requestDate = try fields.date("request_date")
    preorderDate = try fields.date("preorder_date")
    expirationDate = try fields.date("expiration_date")
    isFlat = !fields.has("in_app") && fields.has("transaction_id")
    originalPurchaseDate = isFlat ? nil : try fields.date("original_purchase_date")
    inApp = isFlat ? [try VerifyReceiptEntry(value)] : try VerifyReceiptResponse.entries(fields, "in_app")
  }
}
