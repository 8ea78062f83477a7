import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import StrictJSON

/// The check before a promotional offer: the app's team must sign that this customer may have it. One of its in-app
/// purchase keys signs it for this app, product, offer and purchase, within a day (rules AS-OFF-5 to AS-OFF-7).
struct OfferGate {
  let state: SimulatorState
  let testKey: SimulatedAPIKey
  /// The real time: the signer does not follow the simulator's clock.
  let realTime: Timestamp

  /// How far the signer's clock may be ahead.
  private static let clockAllowance = TimeSpan.minutes(1)
  private static let limits = JSONLimits(
    bytesMax: SimulatedOfferSignature.jwsBytesMax, depthMax: 4, valuesMax: 100)

  /// The offer for the charge of a purchase: the named one, otherwise the introductory one for a customer who never had
  /// one in the group. The team's signature may decide otherwise (rules AS-OFF-1, AS-OFF-2, AS-OFF-5 to AS-OFF-7).
  ///
  /// - Throws: `offerNotAllowed`, `offerSignatureInvalid`.
  func offer(
    for request: SimulatedPurchaseRequest, of product: SimulatedProduct, at place: PlaceInGroup
  ) throws(CodedError<SimulatorErrorCode>) -> SimulatedOffer? {
    guard let name = request.offerIdentifier else {
      let isIntroduced: Bool
      switch (try introductoryOffer(of: request), place) {
      case (nil, .first), (true?, .first), (true?, .again): isIntroduced = true
      case (nil, _), (false?, _), (true?, _): isIntroduced = false
      }
      return isIntroduced ? product.offers.first { $0.kind == .introductoryOffer } : nil
    }
    guard let offer = product.offers.first(where: { $0.identifier == name }) else {
      throw CodedError(.offerNotAllowed, "\(product.id) has no offer \(name).")
    }
    if offer.kind == .promotionalOffer { try admit(name, to: request) }
    let isAllowed: Bool
    switch (offer.kind, place) {
    case (.introductoryOffer, _): isAllowed = false
    case (.promotionalOffer, .first): isAllowed = false
    case (.winBackOffer, .again(let subscription)): isAllowed = state.subscriptions[subscription.id] != nil
    case (.winBackOffer, _): isAllowed = false
    case (.promotionalOffer, _), (.offerCode, _): isAllowed = true
    }
    guard isAllowed else { throw CodedError(.offerNotAllowed, "Offer \(name) is not for this customer.") }
    return offer
  }

  /// Checks that a purchase may use a promotional offer.
  ///
  /// - Throws: `offerSignatureInvalid`.
  private func admit(_ offer: String, to request: SimulatedPurchaseRequest) throws(CodedError<SimulatorErrorCode>) {
    switch request.offerSignature {
    case nil: throw CodedError(.offerSignatureInvalid, "A promotional offer needs a signature.")
    case .signature(let signature): try admit(offer, to: request, by: signature)
    case .jws(let token):
      let claims = try claims(of: token, "promotional-offer", for: request)
      guard claims["offerIdentifier"]?.string == offer else {
        throw CodedError(.offerSignatureInvalid, "It was signed for another offer.")
      }
      // Without a transaction it is valid for every customer.
      if claims["transactionId"] != nil { try checkOwner(claims, request) }
    }
  }

  /// Whether the team allows the customer the introductory offer; nil when the team says nothing.
  ///
  /// - Throws: `offerSignatureInvalid`.
  private func introductoryOffer(of request: SimulatedPurchaseRequest) throws(CodedError<SimulatorErrorCode>) -> Bool? {
    guard let token = request.introductoryOfferEligibility else { return nil }
    let claims = try claims(of: token, "introductory-offer-eligibility", for: request)
    guard let isAllowed = claims["allowIntroductoryOffer"]?.bool else {
      throw CodedError(.offerSignatureInvalid, "It does not say whether the customer may have it.")
    }
    try checkOwner(claims, request)
    return isAllowed
  }

  // MARK: the first version

  private func admit(
    _ name: String, to request: SimulatedPurchaseRequest, by signature: PromotionalOfferSignature
  ) throws(CodedError<SimulatorErrorCode>) {
    guard let key = key(signature.keyIdentifier) else {
      throw CodedError(.offerSignatureInvalid, "There is no key \(signature.keyIdentifier.prefix(20)).")
    }
    let token = request.appAccountToken.flatMap { OrderIdentifier($0.text) }
    guard signature.timestamp <= realTime + Self.clockAllowance,
      let offer = try? PromotionalOffer(product: request.product, offer: name),
      signature.isValid(
        for: offer, bundleId: request.owner.bundleId, appAccountToken: token, by: key.publicKey, at: realTime)
    else {
      throw CodedError(.offerSignatureInvalid, "It is older than a day, or for another app, product, offer or token.")
    }
  }

  // MARK: the second version

  /// The claims of a token, after the check of its signature, app, product and date.
  private func claims(
    of token: String, _ audience: String, for request: SimulatedPurchaseRequest
  ) throws(CodedError<SimulatorErrorCode>) -> JSONValue {
    guard let parts = CompactJWS(token.utf8, bytesMax: SimulatedOfferSignature.jwsBytesMax),
      let header = Self.object(parts.header), let claims = Self.object(parts.payload),
      header["alg"]?.string == "ES256", header["typ"] == nil || header["typ"]?.string == "JWT"
    else { throw CodedError(.offerSignatureInvalid, "It is no JWS of ES256.") }
    guard let key = header["kid"]?.string.flatMap({ key($0) }),
      let signature = ECDSASignature(raw: parts.signature, curve: .p256),
      key.publicKey.isValid(signature, for: parts.signed)
    else { throw CodedError(.offerSignatureInvalid, "None of the team's keys has signed it.") }
    guard claims["iss"]?.string == key.issuerId.text, claims["aud"]?.string == audience,
      claims["bid"]?.string == request.owner.bundleId, claims["productId"]?.string == request.product.text,
      claims["nonce"]?.string.flatMap({ OfferNonce($0) }) != nil
    else { throw CodedError(.offerSignatureInvalid, "It was signed for something else, app or product.") }
    // It carries no expiration: the App Store counts from `iat`.
    guard let issued = claims["iat"]?.flooredInteger, (0...realTime.seconds + 86_400).contains(issued),
      Timestamp(seconds: issued) <= realTime + Self.clockAllowance,
      realTime < Timestamp(seconds: issued) + PromotionalOffer.validity
    else { throw CodedError(.offerSignatureInvalid, "It is older than a day, or of a time to come.") }
    return claims
  }

  /// A token names the customer by any transaction of theirs in the app, or by their app transaction.
  private func checkOwner(_ claims: JSONValue, _ request: SimulatedPurchaseRequest) throws(CodedError<
    SimulatorErrorCode
  >) {
    let id = claims["transactionId"]?.string ?? ""
    guard
      state.transactions[TransactionIdentifier(id)]?.owner == request.owner || state.downloadOwners[id] == request.owner
    else { throw CodedError(.offerSignatureInvalid, "It names no transaction of this customer.") }
  }

  private func key(_ id: String) -> SimulatedAPIKey? { id == testKey.keyId ? testKey : state.apiKeys[id] }

  private static func object(_ bytes: [UInt8]) -> JSONValue? {
    guard let value = try? JSONReader.read(bytes, limits: limits), value.object != nil else { return nil }
    return value
  }
}
