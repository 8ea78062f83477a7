#if canImport(StoreKit)
  import Counterfoil
  import Foundation
  import PaymentPrimitives
  import StoreKit

  extension StorePayment {
    /// What StoreKit 1 is asked to sell: the fetched product, or the bare id if none was fetched.
    func forStoreKit1(_ fetched: SKProduct?) throws(StoreFailure) -> SKMutablePayment {
      let asked = fetched.map { SKMutablePayment(product: $0) } ?? SKMutablePayment()
      if fetched == nil { asked.productIdentifier = product.text }
      asked.quantity = quantity
      asked.applicationUsername = token.appAccountToken
      switch offer {
      case nil: break
      case .promotional(let offer):
        guard let nonce = UUID(uuidString: offer.nonce) else {
          throw StoreFailure(.offerNotAllowed, explanation: "the offer's nonce is no UUID")
        }
        asked.paymentDiscount = SKPaymentDiscount(
          identifier: offer.offerId, keyIdentifier: offer.keyId, nonce: nonce, signature: offer.signature,
          timestamp: NSNumber(value: offer.timestamp))
      case .winBack, .introductory:
        throw StoreFailure(.offerNotAllowed, explanation: "this kind of offer needs StoreKit 2")
      }
      return asked
    }
  }
#endif
