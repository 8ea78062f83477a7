import AppStoreIntegration
import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Offers, signed for the purchase sheet.
enum OfferRoutes {
  static let all: [Route] = [promotional, introductory]

  private static let promotional = Route(
    "POST", SignPromotionalOffer.path, name: "SignPromotionalOffer", access: [.user, .backend],
    documentation: RouteDocumentation(
      summary:
        "Signs a promotional offer of a subscription, in both forms, for 24 hours. A user gets what user_offers lists.",
      about: .maybeUser, query: [.userId], request: "SignPromotionalOffer", answer: "SignedOffer",
      codes: [
        .productUnknown, .productRetired, .productNotSoldAtStore, .storeNotConfigured, .offerNotAllowed, .orderUnknown,
        .transactionUnknown, .offerNotSignable,
      ])
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(SignPromotionalOffer.Request.init(json:))
    guard let caller = call.caller else { throw CodedError<ServerErrorCode>(.credentialMissing) }
    var request = OfferRequest(product: body.product)
    request.user = try call.optionalUser(named: body.user)
    request.appStoreProduct = body.appStoreProduct
    request.order = body.order.map { OrderName($0) }
    request.transaction = body.transaction
    let signed = try await call.server.engine.signPromotionalOffer(body.offer, request, for: app, by: caller)
    return call.answer(
      SignedOfferBody(
        appStoreProduct: signed.product, offer: signed.offer,
        signature: .init(
          keyIdentifier: signed.keyIdentifier, nonce: signed.nonce, timestamp: signed.timestamp.milliseconds,
          signature: signed.signature, appAccountToken: signed.appAccountToken),
        jws: signed.jws, expiresAt: signed.expiresAt
      ).json)
  }

  private static let introductory = Route(
    "POST", SignIntroductoryOffer.path, name: "SignIntroductoryOffer", access: [.backend],
    documentation: RouteDocumentation(
      summary: "Signs whether a customer may have a subscription's introductory offer, for 24 hours.",
      request: "SignIntroductoryOffer", answer: "SignedOffer",
      codes: [.productUnknown, .productRetired, .productNotSoldAtStore, .storeNotConfigured, .offerNotSignable])
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(SignIntroductoryOffer.Request.init(json:))
    var request = OfferRequest(product: body.product)
    request.appStoreProduct = body.appStoreProduct
    let signed = try call.server.engine.signIntroductoryOffer(
      isAllowed: body.isAllowed, request, transaction: body.transaction, for: app)
    return call.answer(
      SignedOfferBody(
        appStoreProduct: signed.product, offer: nil, signature: nil, jws: signed.jws,
        expiresAt: signed.expiresAt
      ).json)
  }
}
