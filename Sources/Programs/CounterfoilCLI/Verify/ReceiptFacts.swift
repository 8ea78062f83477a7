import AppStoreProtocol
import PaymentPrimitives
import StrictJSON

// The content of a receipt as JSON, with the field names of Apple's verifyReceipt.

extension AppReceipt {
  var json: JSONValue {
    .members([
      ("receipt_type", environment.map { .string($0) }), ("app_item_id", appItemId.map { .integer($0) }),
      ("bundle_id", bundleId.map { .string($0) }), ("application_version", applicationVersion.map { .string($0) }),
      ("opaque_value", opaqueValue.map { .hexadecimal($0) }), ("sha1_hash", deviceHash.map { .hexadecimal($0) }),
      ("age_rating", ageRating.map { .string($0) }), ("developer_id", developerId.map { .integer($0) }),
      ("receipt_creation_date", creationDate.map { .date($0) }), ("download_id", downloadId.map { .integer($0) }),
      ("version_external_identifier", installerVersionId.map { .integer($0) }),
      ("original_purchase_date", originalPurchaseDate.map { .date($0) }),
      ("original_application_version", originalApplicationVersion.map { .string($0) }),
      ("expiration_date", expirationDate.map { .date($0) }), ("in_app", .array(inApp.map(\.json))),
      ("unknown", unknown.isEmpty ? nil : .array(unknown.map(\.json))),
    ])
  }
}

extension InAppReceipt {
  fileprivate var json: JSONValue {
    .members([
      ("quantity", quantity.map { .integer($0) }), ("product_id", productId.map { .string($0) }),
      ("transaction_id", transactionId.map { .string($0) }),
      ("original_transaction_id", originalTransactionId.map { .string($0) }),
      ("purchase_date", purchaseDate.map { .date($0) }),
      ("original_purchase_date", originalPurchaseDate.map { .date($0) }),
      ("product_type", productType.map { .integer($0) }), ("expires_date", expiresDate.map { .date($0) }),
      ("web_order_line_item_id", webOrderLineItemId.map { .integer($0) }),
      ("cancellation_date", cancellationDate.map { .date($0) }),
      ("is_trial_period", isTrialPeriod.map { .integer($0) }),
      ("is_in_intro_offer_period", isInIntroOfferPeriod.map { .integer($0) }),
      ("promotional_offer_id", promotionalOfferId.map { .string($0) }),
      ("unknown", unknown.isEmpty ? nil : .array(unknown.map(\.json))),
    ])
  }
}

extension TransactionReceipt {
  var json: JSONValue { .object(fields.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }) }
}

extension ReceiptAttribute {
  fileprivate var json: JSONValue {
    .members([("type", .integer(type)), ("version", .integer(version)), ("value", .hexadecimal(value))])
  }
}

extension JSONValue {
  fileprivate static func date(_ moment: Timestamp) -> JSONValue { .string(moment.iso8601) }

  fileprivate static func hexadecimal(_ bytes: [UInt8]) -> JSONValue {
    .string(bytes.hexadecimal)
  }
}
