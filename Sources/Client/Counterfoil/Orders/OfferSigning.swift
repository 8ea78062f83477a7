import CounterfoilAPI
import PaymentPrimitives

/// Asks the server to sign the offer of a purchase.
///
/// This needs an order, because the signature names it and the store accepts it only with that order's payment.
/// Without a signature no sheet opens: the price would differ from the one that the customer saw.
struct OfferSigning {
  let server: ServerConnection
  let session: UserSession

  /// - Returns: nil if the purchase asks for no offer of the server.
  nonisolated(nonsending) func sign(
    _ flow: PurchaseFlow, _ order: PlacedOrder
  ) async throws(PurchasingError) -> PromotionalOffer? {
    guard let name = flow.promotionalOffer else { return nil }
    var request = SignPromotionalOffer.Request(product: flow.request.product, offer: name)
    request.order = order.id.appAccountToken
    request.appStoreProduct = order.storeProduct
    let (server, asked) = (self.server, request)
    let body: SignedOfferBody
    do throws(PurchasingError) {
      body = try await session.asWaitingUser(flow.user) { await server.signPromotionalOffer(asked, as: $0) }
    } catch {
      guard error.serverCode == SignPromotionalOffer.notAllowed else { throw error }
      throw PurchasingError(.offerNotAllowed, error.details, serverCode: error.serverCode)
    }
    guard let signature = body.signature, signature.appAccountToken == order.id, body.offer == name,
      body.appStoreProduct == order.storeProduct
    else { throw PurchasingError(.orderDiffers, "The offer was signed for something else than order \(order.id).") }
    var offer = PromotionalOffer(
      offerId: name, keyId: signature.keyIdentifier, nonce: signature.nonce, signature: signature.signature,
      timestamp: signature.timestamp)
    offer.compactJWS = body.jws
    return offer
  }
}
