import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ScriptedBackend {
  /// Sets the promotional offers that the server signs from now on, for all users.
  public func setUserOffers(_ offers: String...) { state.withLock { $0.userOffers = Set(offers) } }

  /// Signs an offer for an order. It uses no key: the signature is a placeholder text.
  func signOffer(_ json: JSONValue, _ caller: UserIdentifier, state: inout State) -> HTTPResponse {
    guard let request = try? SignPromotionalOffer.Request(json: json), caller.text != "" else {
      return Self.problem(400, "request_unreadable")
    }
    guard state.userOffers.contains(request.offer) else { return Self.problem(403, SignPromotionalOffer.notAllowed) }
    guard let id = request.order.flatMap({ OrderIdentifier($0) }), let order = state.orders[id]?.body,
      order.user == caller, order.product == request.product
    else { return Self.problem(404, "order_unknown") }
    state.count += 1
    let nonce = OrderIdentifier(high: 0x4000, low: 1 << 63 | state.count).appAccountToken
    let signature = SignedOfferBody.Signature(
      keyIdentifier: "TESTKEY001", nonce: nonce, timestamp: clock.now.milliseconds,
      signature: "c2lnbmVkIGZvciA\(state.count)", appAccountToken: id)
    return HTTPResponse(
      status: 200,
      json: SignedOfferBody(
        appStoreProduct: request.appStoreProduct ?? Self.storeProduct(of: request.product), offer: request.offer,
        signature: signature, jws: "e30.e30.c2ln", expiresAt: clock.now + .hours(24)
      ).json)
  }
}
