import AppStoreProtocol
import HTTPMessages
import PaymentEngine
import PaymentVocabulary
import ServerContract
import StrictJSON

/// Offers, signed for the purchase sheet.
enum OfferRoutes {
  static let all: [Route] = [promotional, introductory]

  private static let promotional = Route(
    "POST", SignPromotionalOffer.path, "SignPromotionalOffer", [.user, .backend],
    RouteDocumentation(
      summary:
        "Signs a promotional offer of a subscription, in both forms, for 24 hours. A user gets what user_offers lists.",
      about: .maybeUser, query: [.userId], request: "SignPromotionalOffer", answer: "SignedOffer",
      codes: [
        .productUnknown, .productNotSoldAtStore, .storeNotConfigured, .offerNotAllowed, .orderUnknown,
        .transactionUnknown,
      ])
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(SignPromotionalOffer.Request.init(json:))
    guard let caller = call.caller else { throw Refusal<ServerErrorCode>(.credentialMissing) }
    var request = OfferRequest(product: body.product)
    request.user = try call.optionalUser(named: body.user)
    request.appStoreProduct = body.appStoreProduct
    request.order = body.order.map { OrderName($0) }
    request.transaction = body.transaction
    let signed = try await signing {
      try await call.server.engine.signPromotionalOffer(body.offer, request, for: app, by: caller)
    }
    return call.answer(
      SignedOfferBody(
        appStoreProduct: signed.offer.product, offer: signed.offer.offer,
        signature: .init(
          keyIdentifier: signed.signature.keyIdentifier, nonce: signed.signature.nonce.text,
          timestamp: signed.signature.timestamp.milliseconds, signature: signed.signature.signature,
          appAccountToken: signed.appAccountToken),
        jws: signed.jws, expiresAt: signed.signature.timestamp + PromotionalOffer.validity
      ).json)
  }

  private static let introductory = Route(
    "POST", SignIntroductoryOffer.path, "SignIntroductoryOffer", [.backend],
    RouteDocumentation(
      summary: "Signs whether a customer may have a subscription's introductory offer, for 24 hours.",
      request: "SignIntroductoryOffer", answer: "SignedOffer",
      codes: [.productUnknown, .productNotSoldAtStore, .storeNotConfigured])
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(SignIntroductoryOffer.Request.init(json:))
    var request = OfferRequest(product: body.product)
    request.appStoreProduct = body.appStoreProduct
    let signed = try await signing {
      try call.server.engine.signIntroductoryOffer(
        isAllowed: body.isAllowed, request, transaction: body.transaction, for: app)
    }
    return call.answer(
      SignedOfferBody(
        appStoreProduct: signed.product, offer: nil, signature: nil, jws: signed.jws,
        expiresAt: call.server.surroundings.now() + PromotionalOffer.validity
      ).json)
  }

  /// What cannot be signed is the caller's field.
  private static func signing<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let refusal as Refusal<AppStoreServerRequestErrorCode> {
      throw Refusal<ServerErrorCode>(.fieldInvalid, refusal.code.meaning.english)
    }
  }
}
