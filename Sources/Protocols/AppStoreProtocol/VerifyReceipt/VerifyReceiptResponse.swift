package import PaymentPrimitives
package import StrictJSON

/// What `verifyReceipt` decodes a receipt to, in both forms: the unified one since iOS 7 with a list, and the flat one
/// of iOS 6 that is a single transaction.
package struct VerifyReceiptResponse: Hashable, Sendable {
  package let status: KnownOrRaw<VerifyReceiptStatus>
  /// Whether asking again helps; only with failures.
  package let isRetryable: Bool?
  package let environment: KnownOrRaw<AppStoreEnvironment>?
  /// What was sent; nil where Apple refused it.
  package let receipt: VerifyReceiptReceipt?
  /// The newest receipt, Base64; only with subscriptions.
  package let latestReceipt: String?
  /// All transactions but finished consumables, in no order; only with subscriptions.
  package let latestReceiptInfo: [VerifyReceiptEntry]
  /// The flat form's word for the last period of a subscription that is over.
  package let latestExpiredReceiptInfo: [VerifyReceiptEntry]
  /// What will become of each subscription.
  package let pendingRenewalInfo: [VerifyReceiptRenewal]

  /// Reads an answer; members that this version does not know are passed over.
  package init(_ value: JSONValue) throws(PayloadProblem) {
    let fields = try VerifyReceiptFields(value)
    guard let status = try fields.integer("status") else {
      throw PayloadProblem(path: "status", expected: "there")
    }
    self.status = KnownOrRaw(status)
    // Apple writes a hyphen; what others have recorded has an underscore.
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

  /// Every transaction that is listed anywhere, each once: by the list that Apple keeps newest. Each counts for
  /// itself; an empty list means that nothing was bought, or that all of it is finished.
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
  /// The app. It must be compared: Apple decodes receipts of any app.
  package let bundleId: String?
  package let applicationVersion: String?
  /// The build that was downloaded first.
  package let originalApplicationVersion: String?
  /// The app's number; 0 in the sandbox.
  package let adamId: String?
  package let downloadId: String?
  package let receiptCreationDate: Timestamp?
  package let requestDate: Timestamp?
  /// When the app was downloaded first.
  package let originalPurchaseDate: Timestamp?
  /// When it was ordered ahead.
  package let preorderDate: Timestamp?
  /// When it ends; only of volume purchases.
  package let expirationDate: Timestamp?
  /// Whether it is the single transaction of iOS 6.
  package let isFlat: Bool
  /// The transactions: in no order, several unfinished consumables at once.
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
