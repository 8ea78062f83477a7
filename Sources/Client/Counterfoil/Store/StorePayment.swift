public import PaymentPrimitives

/// The payment that a sheet opens for.
public struct StorePayment: Hashable, Sendable {
  /// Apple's product id.
  public let product: StoreProductIdentifier
  /// Number of pieces, 1 to 10.
  public let quantity: Int
  /// The order's id: `appAccountToken` under StoreKit 2, `applicationUsername` (lower case, dashes) under StoreKit 1.
  public let token: OrderIdentifier
  /// An offer that changes the price.
  public var offer: StoreOffer?
  /// The purchase from outside the app that this one carries out; the adapter knows it by its handle.
  public var promoted: PromotedPayment?

  /// A payment for an order.
  public init(product: StoreProductIdentifier, quantity: Int, token: OrderIdentifier) {
    self.product = product
    self.quantity = quantity
    self.token = token
  }
}

/// An offer that the app makes with a purchase. The store handles introductory offers and offer codes itself: they
/// need nothing here.
public enum StoreOffer: Hashable, Sendable {
  /// A promotional offer, signed by the team's own server.
  case promotional(PromotionalOffer)
  /// A win-back offer, by its id (StoreKit 2, iOS 18).
  case winBack(id: String)
  /// The team's decision whether this customer may have the introductory offer, as its server signed it (StoreKit 2,
  /// `POST /v1/app-store/introductory-offers`). Without it the store decides.
  case introductory(compactJWS: String)
}

/// A promotional offer as the team's server has signed it. The names are Apple's.
public struct PromotionalOffer: Hashable, Sendable {
  /// The offer's id in App Store Connect.
  public let offerId: String
  /// The id of the key that signed it.
  public let keyId: String
  /// A UUID, lower case, good for one use within 24 hours.
  public let nonce: String
  /// The signature, in Base64.
  public let signature: String
  /// When it was signed, in milliseconds since 1970.
  public let timestamp: Int64

  /// The signed offer as a JWS, which StoreKit 2 takes in place of the signature; Apple deprecated the signature there
  /// in iOS 26.
  public var compactJWS: String?

  /// An offer with its signature.
  public init(offerId: String, keyId: String, nonce: String, signature: String, timestamp: Int64) {
    self.offerId = offerId
    self.keyId = keyId
    self.nonce = nonce
    self.signature = signature
    self.timestamp = timestamp
  }
}

/// A purchase that the customer began in the App Store. It waits until the app buys it with an order, or ignores it.
public struct PromotedPayment: Hashable, Sendable {
  /// The adapter's own name for it, unique in this run.
  public let handle: String
  /// Apple's product id.
  public let product: StoreProductIdentifier
  /// Number of pieces.
  public let quantity: Int
  /// The offer that belongs to it.
  public let offer: StoreOffer?

  /// A purchase as the store announced it.
  public init(
    handle: String, product: StoreProductIdentifier, quantity: Int = 1, offer: StoreOffer? = nil
  ) {
    self.handle = handle
    self.product = product
    self.quantity = quantity
    self.offer = offer
  }
}
