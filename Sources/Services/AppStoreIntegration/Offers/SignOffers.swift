import AppStoreProtocol
import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives

/// The product, user and order for which an offer is signed.
package struct OfferRequest: Hashable, Sendable {
  package var product: ProductIdentifier
  /// Its App Store id; default: the preferred one.
  package var appStoreProduct: StoreProductIdentifier?
  /// The user, if one is named.
  package var user: UserIdentifier?
  /// The order that the purchase will name.
  package var order: OrderName?
  /// A transaction of the customer, or their `appTransactionId`.
  package var transaction: TransactionIdentifier?

  /// An offer of a product for any user.
  package init(product: ProductIdentifier) { self.product = product }
}

/// A promotional offer in both formats.
package struct SignedOffer: Hashable, Sendable {
  /// The App Store's id of the subscription.
  package let product: StoreProductIdentifier
  /// The offer's id in App Store Connect.
  package let offer: String
  /// The token that the purchase must carry.
  package let appAccountToken: OrderIdentifier?
  /// The id of the signing key.
  package let keyIdentifier: String
  /// The nonce of the first format: a UUID.
  package let nonce: String
  /// The signing time; StoreKit takes it in milliseconds.
  package let timestamp: Timestamp
  /// The first format: Base64 of DER.
  package let signature: String
  /// The second format: a JWS, with its own nonce.
  package let jws: String
  /// The time until which the App Store accepts either format.
  package let expiresAt: Timestamp
}

extension PaymentEngine {
  /// Signs a promotional offer with the app's In-App Purchase key, with a new nonce each time.
  ///
  /// A backend decides itself which user gets which offer. A user may request only the offers that the configuration
  /// lists for users. They also need a present or past subscription of the app, because an offer's signature is a
  /// price.
  /// - Throws: `productUnknown`, `productNotSoldAtStore`, `storeNotConfigured`, `offerNotAllowed`, `orderUnknown`,
  ///   `transactionUnknown`, `offerNotSignable`.
  package func signPromotionalOffer(
    _ identifier: String, _ request: OfferRequest, for app: AppPolicy, by caller: Caller
  ) async throws -> SignedOffer {
    let (settings, product) = try offered(request, app)
    let offer = try Self.signing { () throws(CodedError<AppStoreServerRequestErrorCode>) in
      try PromotionalOffer(product: product, offer: identifier)
    }
    if case .user(let user) = caller {
      guard settings.userOffers.contains(identifier) else { throw CodedError<EngineErrorCode>(.offerNotAllowed) }
      try await read { reader in
        guard try Self.hasSubscribed(user, in: app.userEnvironments, reader) else {
          throw CodedError<EngineErrorCode>(.offerNotAllowed)
        }
        try request.transaction.map { try Self.check($0, of: user, app, reader: reader) }
      }
    }
    let order = try await read { try Self.order(of: request, in: app.homeEnvironment, $0) }
    let now = dependencies.now()
    let credentials = settings.credentials
    metrics.count(.offersSignedTotal, [("kind", "promotional")])
    let signature = credentials.signature(of: offer, appAccountToken: order, nonce: nonce(), at: now)
    let jws = try Self.signing { () throws(CodedError<AppStoreServerRequestErrorCode>) in
      try credentials.token(of: offer, transaction: request.transaction?.text, nonce: nonce(), at: now)
    }
    return SignedOffer(
      product: product, offer: identifier, appAccountToken: order, keyIdentifier: signature.keyIdentifier,
      nonce: signature.nonce.text, timestamp: signature.timestamp, signature: signature.signature, jws: jws,
      expiresAt: now + PromotionalOffer.validity)
  }

  /// Signs whether a customer is eligible for the introductory offer of a product.
  ///
  /// - Parameter transaction: one of the customer's, or their `appTransactionId`, because they may never have bought
  ///   here.
  /// - Throws: as `signPromotionalOffer`.
  package func signIntroductoryOffer(
    isAllowed: Bool, _ request: OfferRequest, transaction: TransactionIdentifier, for app: AppPolicy
  ) throws(CodedError<EngineErrorCode>) -> (product: StoreProductIdentifier, jws: String, expiresAt: Timestamp) {
    let (settings, product) = try offered(request, app)
    let now = dependencies.now()
    let jws = try Self.signing { () throws(CodedError<AppStoreServerRequestErrorCode>) in
      try settings.credentials.introductoryOfferToken(
        for: product, isAllowed: isAllowed, transaction: transaction.text, nonce: nonce(), at: now)
    }
    metrics.count(.offersSignedTotal, [("kind", "introductory")])
    return (product, jws, now + PromotionalOffer.validity)
  }

  /// Runs the signing; a value that Apple's format cannot hold is an error of the caller.
  private static func signing<Value>(
    _ body: () throws(CodedError<AppStoreServerRequestErrorCode>) -> Value
  ) throws(CodedError<EngineErrorCode>) -> Value {
    do { return try body() } catch { throw CodedError(.offerNotSignable, error.code.meaning.english) }
  }

  private func nonce() -> OfferNonce { OfferNonce(randomBytes: dependencies.randomBytes(16)) }

  /// The signing key and the App Store id of the offered product; only a subscription has offers.
  private func offered(
    _ request: OfferRequest, _ app: AppPolicy
  ) throws(CodedError<EngineErrorCode>) -> (AppStoreServerAccess, StoreProductIdentifier) {
    guard let product = app.catalog[request.product] else { throw CodedError(.productUnknown) }
    guard !app.isRetired(product.id) else { throw CodedError(.productRetired) }
    guard let preferred = product.appStoreProducts.first, product.kind == .autoRenewable else {
      throw CodedError(.productNotSoldAtStore, "Only a subscription that Apple renews has offers.")
    }
    guard let settings = appStore?.server(of: app.id) else { throw CodedError(.storeNotConfigured) }
    guard let named = request.appStoreProduct else { return (settings, preferred) }
    guard product.appStoreProducts.contains(named) else {
      throw CodedError(.productNotSoldAtStore, "\(named) is no App Store id of the product.")
    }
    return (settings, named)
  }

  /// Whether a user has a subscription, or had one.
  private static func hasSubscribed(
    _ user: UserIdentifier, in appEnvironments: [AppEnvironment], _ reader: any DatabaseReader
  ) throws -> Bool {
    try appEnvironments.contains { appEnvironment in
      try reader.entitlementSources(of: user, in: appEnvironment).contains {
        $0.kind == .autoRenewable && $0.grant.payment.store == .appStore
      }
    }
  }

  /// The order that the purchase will name; it must have that user and product.
  private static func order(
    of request: OfferRequest, in appEnvironment: AppEnvironment, _ reader: any DatabaseReader
  ) throws -> OrderIdentifier? {
    guard let name = request.order else { return nil }
    guard let order = try find(name, in: appEnvironment, of: request.user, reader), order.store == .appStore,
      order.product.id == request.product
    else { throw CodedError<EngineErrorCode>(.orderUnknown) }
    return order.key.id
  }

  /// Checks that a transaction in a user's offer belongs to that user.
  private static func check(
    _ transaction: TransactionIdentifier, of user: UserIdentifier, _ app: AppPolicy, reader: any DatabaseReader
  ) throws {
    let payments = try app.userEnvironments.compactMap {
      try reader.payment(
        PaymentKey(app: $0.app, store: .appStore, environment: $0.environment, transaction: transaction))
    }
    let present = try reader.present(user, in: app.homeEnvironment)
    guard payments.contains(where: { $0.owner == present }) else {
      throw CodedError<EngineErrorCode>(.transactionUnknown)
    }
  }
}
