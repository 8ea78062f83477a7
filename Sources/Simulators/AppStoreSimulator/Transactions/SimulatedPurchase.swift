package import PaymentPrimitives

/// A purchase that a device asks for, after the customer has said yes.
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
  /// The offer that the customer uses; an introductory one is used by itself (rule AS-OFF-1).
  package var offerIdentifier: String?
  /// What the team has signed of a promotional offer; without it the store sells none (rules AS-OFF-5, AS-OFF-6).
  package var offerSignature: SimulatedOfferSignature?
  /// The team's word, as a JWS, on whether the customer may have the introductory offer (rule AS-OFF-7).
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
    /// It is owned already and was delivered again free of charge (rule AS-BUY-4).
    case alreadyOwned
    /// An earlier purchase is unfinished and was delivered instead, free of charge (rule AS-BUY-5).
    case unfinishedDelivered
    /// Nothing was charged: what the subscription renews as has changed. The transaction is the present one (rules
    /// AS-SUB-8, AS-SUB-9).
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
