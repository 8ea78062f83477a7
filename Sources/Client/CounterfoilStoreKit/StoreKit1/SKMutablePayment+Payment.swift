#if canImport(StoreKit)
  import Counterfoil
  import Foundation
  import PaymentPrimitives
  import StoreKit

  extension SKMutablePayment {
    /// What StoreKit 1 is asked to sell: the fetched product, or the bare id if none was fetched.
    static func made(for payment: StorePayment, of product: SKProduct?) throws(StoreFailure) -> SKMutablePayment {
      let asked = product.map { SKMutablePayment(product: $0) } ?? SKMutablePayment()
      if product == nil { asked.productIdentifier = payment.product.text }
      asked.quantity = payment.quantity
      asked.applicationUsername = payment.token.appAccountToken
      switch payment.offer {
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
