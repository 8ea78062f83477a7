#if canImport(StoreKit)
  import Counterfoil
  import Foundation
  import PaymentPrimitives
  import StoreKit

  extension Product {
    /// What StoreKit 2 is told about a payment.
    func options(of payment: StorePayment) throws(StoreFailure) -> Set<Product.PurchaseOption> {
      guard let token = UUID(uuidString: payment.token.appAccountToken) else {
        throw StoreFailure(.other, explanation: "the order's id is no UUID")
      }
      var options: Set<Product.PurchaseOption> = [.appAccountToken(token)]
      if payment.quantity > 1 { options.insert(.quantity(payment.quantity)) }
      switch payment.offer {
      case nil: break
      case .promotional(let offer) where offer.compactJWS != nil:
        options.formUnion(Product.PurchaseOption.promotionalOffer(offer.offerId, compactJWS: offer.compactJWS ?? ""))
      case .introductory(let compactJWS):
        options.insert(.introductoryOfferEligibility(compactJWS: compactJWS))
      case .promotional(let offer):
        guard let nonce = UUID(uuidString: offer.nonce), let signature = Data(base64Encoded: offer.signature) else {
          throw StoreFailure(.offerNotAllowed, explanation: "the offer's nonce or signature cannot be read")
        }
        options.insert(
          .promotionalOffer(
            offerID: offer.offerId, keyID: offer.keyId, nonce: nonce, signature: signature,
            timestamp: Int(offer.timestamp)))
      case .winBack(let id):
        guard #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *),
          let offer = subscription?.winBackOffers.first(where: { $0.id == id })
        else { throw StoreFailure(.offerNotAllowed, explanation: "the store has no such win-back offer for this user") }
        options.insert(.winBackOffer(offer))
      }
      return options
    }
  }
#endif
