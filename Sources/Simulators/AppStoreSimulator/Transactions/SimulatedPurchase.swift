package import PaymentPrimitives

/// A purchase request of a device, after the customer agreed.
package struct SimulatedPurchaseRequest: Hashable, Sendable {
  /// Which of Apple's two interfaces the app uses; they treat an unfinished purchase differently (rule AS-BUY-5).
  package enum Interface: String, CaseIterable, Sendable {
    /// `SKPaymentQueue`
    case storeKit1
    /// `Product.purchase`
    case storeKit2
  }

  package var owner: AppOwner
  package var product: StoreProductIdentifier
  package var quantity: Int
  /// The UUID that the app gives to the purchase.
  package var appAccountToken: AppStoreUUID?
  /// The device's own UUID: with it the signed transaction proves that it comes from this device (rule AS-SIGN-3).
  package var deviceVerificationId: AppStoreUUID?
  package var interface: Interface
  /// The offer that the customer uses; an introductory one applies automatically (rule AS-OFF-1).
  package var offerIdentifier: String?
  /// The team's signature for a promotional offer; without it the App Store sells none (rules AS-OFF-5, AS-OFF-6).
  package var offerSignature: SimulatedOfferSignature?
  /// The team's statement, as a JWS, whether the customer may have the introductory offer (rule AS-OFF-7).
  package var introductoryOfferEligibility: String?

  /// One piece through StoreKit 2, without token and device.
  package init(owner: AppOwner, product: StoreProductIdentifier) {
    self.owner = owner
    self.product = product
    self.quantity = 1
    self.interface = .storeKit2
  }
}

package struct SimulatedPurchase: Hashable, Sendable {
  package enum Outcome: String, Sendable {
    case charged
    /// The account already owns the product; it was delivered again without a charge (rule AS-BUY-4).
    case alreadyOwned
    /// An earlier purchase is unfinished; it was delivered instead, without a charge (rule AS-BUY-5).
    case unfinishedDelivered
    /// Nothing was charged: only the renewal product changed. The transaction is the current one (rules AS-SUB-8,
    /// AS-SUB-9).
    case renewalChanged
  }

  package let outcome: Outcome
  /// The transaction that the device gets.
  package let transaction: SimulatedTransaction
  package let signedTransaction: String
}

/// A transaction with its latest signed form.
package struct SignedSimulatedTransaction: Hashable, Sendable {
  package let transaction: SimulatedTransaction
  package let signedTransaction: String
}
