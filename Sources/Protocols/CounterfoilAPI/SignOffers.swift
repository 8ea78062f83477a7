public import PaymentPrimitives
public import StrictJSON

/// `POST /v1/app-store/offers`: signs a promotional offer, so that the App Store accepts it from this customer.
public enum SignPromotionalOffer {
  /// The path of the call.
  public static let path = "/v1/app-store/offers"
  /// The error code for a user who may not have the offer.
  public static let notAllowed = "offer_not_allowed"

  /// The request.
  public struct Request: Hashable, Sendable {
    /// Our product id; the product must be an auto-renewable subscription.
    public var product: ProductIdentifier
    /// The offer's id in App Store Connect.
    public var offer: String
    /// One of the product's App Store ids; default: the preferred one.
    public var appStoreProduct: StoreProductIdentifier?
    /// The user of the offer; only with a secret key, otherwise the token names the user.
    public var user: UserIdentifier?
    /// The order for the purchase.
    public var order: String?
    /// A transaction of the customer, for the JWS.
    public var transaction: TransactionIdentifier?

    /// An offer for a product.
    public init(product: ProductIdentifier, offer: String) {
      self.product = product
      self.offer = offer
    }

    /// Reads a request.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      product = ProductIdentifier(try fields.string("productId", bytesMax: 255))
      offer = try fields.string("offerIdentifier", bytesMax: 255)
      appStoreProduct = try fields.optionalString("appStoreProductId", bytesMax: 255)
        .map { StoreProductIdentifier($0) }
      user = try fields.optionalString("userId", bytesMax: 255).map { UserIdentifier($0) }
      order = try fields.optionalString("orderId", bytesMax: 256)
      transaction = try fields.optionalString("transactionId", bytesMax: 64).map { TransactionIdentifier($0) }
    }

    /// The request as sent.
    public var json: JSONValue {
      .members([
        ("productId", .string(product.text)), ("offerIdentifier", .string(offer)),
        ("appStoreProductId", appStoreProduct.map { .string($0.text) }), ("userId", user.map { .string($0.text) }),
        ("orderId", order.map(JSONValue.string)), ("transactionId", transaction.map { .string($0.text) }),
      ])
    }
  }
}

/// `POST /v1/app-store/introductory-offers`: signs the team's decision on whether a customer may have an introductory
/// offer.
public enum SignIntroductoryOffer {
  /// The path of the call.
  public static let path = "/v1/app-store/introductory-offers"

  /// The request.
  public struct Request: Hashable, Sendable {
    /// Our product id; the product must be an auto-renewable subscription.
    public var product: ProductIdentifier
    /// One of the product's App Store ids; default: the preferred one.
    public var appStoreProduct: StoreProductIdentifier?
    /// Whether the customer may have the offer.
    public var isAllowed: Bool
    /// A transaction of the customer, or their `appTransactionId`.
    public var transaction: TransactionIdentifier

    /// Reads a request.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      product = ProductIdentifier(try fields.string("productId", bytesMax: 255))
      appStoreProduct = try fields.optionalString("appStoreProductId", bytesMax: 255)
        .map { StoreProductIdentifier($0) }
      isAllowed = try fields.bool("allowIntroductoryOffer")
      transaction = TransactionIdentifier(try fields.string("transactionId", bytesMax: 64))
    }
  }
}

/// The signed parameters for a purchase with StoreKit.
public struct SignedOfferBody: Hashable, Sendable {
  /// The App Store's id of the product.
  public var appStoreProduct: StoreProductIdentifier
  /// The offer's id in App Store Connect; nil for an introductory offer, which has none.
  public var offer: String?
  /// The signature in the older form; nil for an introductory offer, which has none.
  public var signature: Signature?
  /// The signed offer as a JWS.
  public var jws: String
  /// Until when the App Store accepts it.
  public var expiresAt: Timestamp

  /// The older form, with all signed values.
  public struct Signature: Hashable, Sendable {
    /// The id of the signing key.
    public var keyIdentifier: String
    /// The nonce, created for this signature.
    public var nonce: String
    /// The time in milliseconds, as StoreKit expects it.
    public var timestamp: Int64
    /// The signature: Base64 of the DER form.
    public var signature: String
    /// The token that the purchase must carry; nil if it carries none.
    public var appAccountToken: OrderIdentifier?

    /// A signature with its signed values.
    public init(
      keyIdentifier: String, nonce: String, timestamp: Int64, signature: String, appAccountToken: OrderIdentifier?
    ) {
      self.keyIdentifier = keyIdentifier
      self.nonce = nonce
      self.timestamp = timestamp
      self.signature = signature
      self.appAccountToken = appAccountToken
    }
  }

  /// A signed offer from its parts.
  public init(
    appStoreProduct: StoreProductIdentifier, offer: String?, signature: Signature?, jws: String, expiresAt: Timestamp
  ) {
    self.appStoreProduct = appStoreProduct
    self.offer = offer
    self.signature = signature
    self.jws = jws
    self.expiresAt = expiresAt
  }

  /// Reads a signed offer.
  public init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    appStoreProduct = StoreProductIdentifier(try fields.string("appStoreProductId", bytesMax: 255))
    offer = try fields.optionalString("offerIdentifier", bytesMax: 255)
    if let text = try fields.optionalString("signature") {
      signature = Signature(
        keyIdentifier: try fields.string("keyIdentifier", bytesMax: 64),
        nonce: try fields.string("nonce", bytesMax: 64), timestamp: try fields.integer("timestamp"), signature: text,
        appAccountToken: try fields.optionallyConverted("appAccountToken", "a UUID", { OrderIdentifier($0) }))
    }
    jws = try fields.string("jws", bytesMax: 4096)
    expiresAt = try fields.converted("expiresAt", "a date", { Timestamp(iso8601: $0) })
  }

  /// The signed offer as in an answer.
  public var json: JSONValue {
    .members([
      ("appStoreProductId", .string(appStoreProduct.text)), ("offerIdentifier", offer.map(JSONValue.string)),
      ("keyIdentifier", signature.map { .string($0.keyIdentifier) }),
      ("nonce", signature.map { .string($0.nonce) }), ("timestamp", signature.map { .integer($0.timestamp) }),
      ("signature", signature.map { .string($0.signature) }),
      ("appAccountToken", signature?.appAccountToken.map { .string($0.appAccountToken) }), ("jws", .string(jws)),
      ("expiresAt", .string(expiresAt.iso8601)),
    ])
  }
}
