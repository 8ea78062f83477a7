import PaymentPrimitives
import CounterfoilAPI

extension Purchasing {
  /// Has the server sign the offer that a purchase wants: once there is an order, for the signature names it, and the
  /// store takes it with that order's payment alone. Without a signature no sheet opens: the price would be another one
  /// than the customer was told.
  func signOffer(
    _ number: Int, _ flow: PurchaseFlow, _ order: PlacedOrder
  ) async throws(PurchasingError) {
    guard let name = flow.promotionalOffer else { return }
    var request = SignPromotionalOffer.Request(product: flow.request.product, offer: name)
    request.order = order.id.appAccountToken
    request.appStoreProduct = order.storeProduct
    let (server, asked) = (self.server, request)
    let body: SignedOfferBody
    do throws(PurchasingError) {
      body = try await askWhileCustomerLooks(flow.user) { await server.signPromotionalOffer(asked, as: $0) }
    } catch {
      guard error.serverCode == SignPromotionalOffer.notAllowed else { throw error }
      throw PurchasingError(.offerNotAllowed, error.details, serverCode: error.serverCode)
    }
    guard let signature = body.signature, signature.appAccountToken == order.id, body.offer == name,
      body.appStoreProduct == order.storeProduct
    else { throw PurchasingError(.orderDiffers, "The offer was signed for something else than order \(order.id).") }
    flows[number]?.offer = .promotional(
      PromotionalOffer(
        offerId: name, keyId: signature.keyIdentifier, nonce: signature.nonce, signature: signature.signature,
        timestamp: signature.timestamp))
  }
}
