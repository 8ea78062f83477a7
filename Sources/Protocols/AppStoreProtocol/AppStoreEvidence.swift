import Cryptography
package import PaymentPrimitives

/// Converts signed App Store data into the evidence values of the rest of the system. Only this file knows both
/// vocabularies.
package enum AppStoreEvidence {
  /// The payment that a verified transaction states.
  ///
  /// - Throws: `AppStoreEvidenceErrorCode`; it names the field that is missing or impossible. No field gets a default
  ///   value: an incomplete payment is never granted on a guess.
  package static func payment(
    of transaction: VerifiedSignedData<JWSTransactionDecodedPayload>, app: AppIdentifier
  ) throws(CodedError<AppStoreEvidenceErrorCode>) -> VerifiedPayment {
    let payload = transaction.payload
    let identifier = try transactionIdentifier(payload.transactionId, "transactionId")
    let original = try transactionIdentifier(payload.originalTransactionId, "originalTransactionId")
    let product = try stated(payload.productId, "productId")
    guard (1...255).contains(product.utf8.count) else { throw absurd("productId", "its length") }
    let kind = try kind(of: stated(payload.type, "type"))
    let quantity = try stated(payload.quantity, "quantity")
    guard (1...Int64(Int32.max)).contains(quantity) else { throw absurd("quantity", "\(quantity)") }
    let purchaseDate = try stated(payload.purchaseDate, "purchaseDate")
    guard purchaseDate.milliseconds > 0 else { throw absurd("purchaseDate", purchaseDate.iso8601) }
    let signedDate = try stated(payload.signedDate, "signedDate")
    var payment = VerifiedFacts(
      key: PaymentKey(
        app: app, store: .appStore, environment: transaction.environment, transaction: identifier),
      originalTransaction: original, storeProduct: StoreProductIdentifier(product), kind: kind,
      quantity: Int(quantity), purchaseDate: purchaseDate, signedDate: signedDate)
    payment.webOrderLineItem = payload.webOrderLineItemId
    payment.originalPurchaseDate = payload.originalPurchaseDate
    // A subscription without an end would last forever.
    payment.expiresDate = kind == .autoRenewable ? try stated(payload.expiresDate, "expiresDate") : payload.expiresDate
    payment.token = payload.appAccountToken.flatMap { OrderIdentifier($0) }
    payment.ownership = ownership(payload.inAppOwnershipType)
    payment.appTransaction = payload.appTransactionId
    payment.revocation = try revocation(payload)
    if let price = payload.price, let currency = payload.currency {
      payment.price = StatedPrice(milliunits: price, currency: currency)
    }
    payment.isRenewal = payload.transactionReason == .known(.renewal)
    payment.isUpgraded = payload.isUpgraded ?? false
    payment.storefront = payload.storefront.flatMap { $0.isEmpty ? nil : $0 }
    payment.offer = payload.offerType.map { type in
      StatedOffer(
        type: word(for: type), id: payload.offerIdentifier, discountType: payload.offerDiscountType?.rawValue,
        period: payload.offerPeriod)
    }
    return VerifiedPayment(payment)
  }

  /// The id of a transaction whose product type this version does not know, and the type as Apple states it; nil for
  /// any other transaction.
  package static func unknownType(
    of transaction: VerifiedSignedData<JWSTransactionDecodedPayload>, app: AppIdentifier
  ) -> (key: PaymentKey, word: String)? {
    guard case .raw(let word)? = transaction.payload.type,
      let identifier = try? transactionIdentifier(transaction.payload.transactionId, "transactionId")
    else { return nil }
    return (
      PaymentKey(app: app, store: .appStore, environment: transaction.environment, transaction: identifier),
      String(word.prefix(64))
    )
  }

  static func stated<Value>(
    _ value: Value?, _ field: String
  ) throws(CodedError<AppStoreEvidenceErrorCode>) -> Value {
    guard let value else { throw CodedError(.missingField, "The transaction states no \(field).") }
    return value
  }

  static func absurd(_ field: String, _ value: String) -> CodedError<AppStoreEvidenceErrorCode> {
    CodedError(.absurdField, "The transaction's \(field) cannot be \(value).")
  }

  /// Accepts only numbers as text, because the id becomes part of a permanent key.
  static func transactionIdentifier(
    _ text: String?, _ field: String
  ) throws(CodedError<AppStoreEvidenceErrorCode>) -> TransactionIdentifier {
    let text = try stated(text, field)
    guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { throw absurd(field, "anything but a number") }
    return TransactionIdentifier(text)
  }

  private static func kind(
    of type: KnownOrRaw<ProductType>
  ) throws(CodedError<AppStoreEvidenceErrorCode>) -> ProductKind {
    switch type {
    case .known(.consumable): return .consumable
    case .known(.nonConsumable): return .nonConsumable
    case .known(.autoRenewableSubscription): return .autoRenewable
    case .known(.nonRenewingSubscription): return .nonRenewing
    case .raw: throw CodedError(.unknownProductType)
    }
  }

  private static func word(for offer: KnownOrRaw<OfferType>) -> String {
    switch offer {
    case .known(.introductoryOffer): "introductory"
    case .known(.promotionalOffer): "promotional"
    case .known(.offerCode): "code"
    case .known(.winBackOffer): "winBack"
    case .raw(let number): "\(number)"
    }
  }

  private static func ownership(_ type: KnownOrRaw<InAppOwnershipType>?) -> Ownership {
    switch type {
    case .known(.purchased): .purchased
    case .known(.familyShared): .familyShared
    case .known(.assigned): .assigned
    case .raw(let text): .unknown(text)
    case nil: .unknown("")
    }
  }

  private static func revocation(
    _ payload: JWSTransactionDecodedPayload
  ) throws(CodedError<AppStoreEvidenceErrorCode>) -> Revocation? {
    guard let date = payload.revocationDate else { return nil }
    if let percentage = payload.revocationPercentage, !(0...100_000).contains(percentage) {
      throw absurd("revocationPercentage", "\(percentage)")
    }
    return Revocation(
      date: date, reason: payload.revocationReason?.rawValue, type: payload.revocationType?.rawValue,
      percentage: payload.revocationPercentage)
  }
}

/// The errors of a transaction that lacks required fields or has impossible ones.
package enum AppStoreEvidenceErrorCode: String, ErrorCode {
  /// A field is missing, and a payment cannot be recorded without it.
  case missingField = "app_store_field_missing"
  /// A field has an impossible value.
  case absurdField = "app_store_field_absurd"
  /// This version does not know the product type.
  case unknownProductType = "app_store_product_type_unknown"

  package var meaning: BilingualText {
    switch self {
    case .missingField:
      BilingualText("The signed transaction lacks a required field.", "签名交易缺少必需的字段。")
    case .absurdField:
      BilingualText("A field of the signed transaction has an impossible value.", "签名交易中某个字段的值不可能成立。")
    case .unknownProductType:
      BilingualText("The kind of product is not known to this version.", "此版本不认识该商品类型。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .missingField, .absurdField:
      BilingualText(
        "Ask Apple for the transaction by its id (Get Transaction Info).", "请按交易号向 Apple 查询该交易（Get Transaction Info）。")
    case .unknownProductType:
      BilingualText("Update Counterfoil; the evidence is kept.", "请升级 Counterfoil；凭证已保留。")
    }
  }

  package var retry: RetryAdvice { .never }
}

/// Whether the evidence proves that it comes from the buyer's device.
package enum DeviceVerification: String, Hashable, CaseIterable, Sendable {
  /// The evidence carries a device proof, and the hash of the device's id matches it.
  case fits
  /// The evidence carries a device proof, but there is no device id to compare it with.
  case missing
  /// The device proof belongs to another device.
  case differs
  /// The evidence carries no device proof: it comes from a notification or the Server API.
  case notDeviceEvidence
}

extension AppStoreEvidence {
  /// Compares the device proof of a transaction with the id that the device sent.
  ///
  /// Source: Apple's `AppStore.deviceVerificationID`: SHA-384 over the nonce followed by the id, both as lower-case
  /// UUIDs.
  /// - Parameter deviceVerificationId: the device's own UUID; nil if the device sent none.
  package static func deviceVerification(
    of payload: JWSTransactionDecodedPayload, deviceVerificationId: String?
  ) -> DeviceVerification {
    guard let proof = payload.deviceVerification, let nonce = payload.deviceVerificationNonce else {
      return .notDeviceEvidence
    }
    guard let deviceVerificationId else { return .missing }
    guard let nonce = lowerCaseUUID(nonce), let device = lowerCaseUUID(deviceVerificationId),
      let expected = Base64.decode(proof)
    else { return .differs }
    return ConstantTime.isEqual(SHA384.hash((nonce + device).utf8), expected) ? .fits : .differs
  }

  /// The text of a UUID in lower case, as Apple writes it; order ids are UUIDs too.
  private static func lowerCaseUUID(_ text: String) -> String? {
    text.utf8.count == 36 ? OrderIdentifier(text)?.appAccountToken : nil
  }
}
