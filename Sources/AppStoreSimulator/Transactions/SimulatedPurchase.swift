public import PaymentVocabulary

/// A purchase that a device asks for, after the customer has said yes.
public struct SimulatedPurchaseRequest: Hashable, Sendable {
  /// Which of Apple's two interfaces the app uses; they treat an unfinished purchase differently (rule AS-BUY-5).
  public enum Interface: String, CaseIterable, Sendable {
    /// `SKPaymentQueue`
    case storeKit1
    /// `Product.purchase`
    case storeKit2
  }

  /// Who buys in which app.
  public var owner: AppOwner
  /// What.
  public var product: StoreProductIdentifier
  /// How many pieces.
  public var quantity: Int
  /// The UUID that the app gives to the purchase.
  public var appAccountToken: AppStoreUUID?
  /// The device's own UUID: with it the signed transaction proves that it comes from this device (rule AS-SIGN-3).
  public var deviceVerificationId: AppStoreUUID?
  /// Which interface the app uses.
  public var interface: Interface
  /// The offer that the customer uses; an introductory one is used by itself (rule AS-OFF-1).
  public var offerIdentifier: String?
  /// What the team has signed of a promotional offer; without it the store sells none (rules AS-OFF-5, AS-OFF-6).
  public var offerSignature: SimulatedOfferSignature?
  /// The team's word, as a JWS, on whether the customer may have the introductory offer (rule AS-OFF-7).
  public var introductoryOfferEligibility: String?

  /// One piece through StoreKit 2, without token and device.
  public init(owner: AppOwner, product: StoreProductIdentifier) {
    self.owner = owner
    self.product = product
    self.quantity = 1
    self.interface = .storeKit2
  }
}

/// What became of a purchase.
public struct SimulatedPurchase: Hashable, Sendable {
  /// Whether money moved.
  public enum Outcome: String, Sendable {
    /// It was charged.
    case charged
    /// It is owned already and was delivered again free of charge (rule AS-BUY-4).
    case alreadyOwned
    /// An earlier purchase is unfinished and was delivered instead, free of charge (rule AS-BUY-5).
    case unfinishedDelivered
    /// Nothing was charged: what the subscription renews as has changed. The transaction is the present one (rules
    /// AS-SUB-8, AS-SUB-9).
    case renewalChanged
  }

  /// Whether money moved.
  public let outcome: Outcome
  /// The transaction that the device gets.
  public let transaction: SimulatedTransaction
  /// The same, signed.
  public let signedTransaction: String
}

/// A transaction with its latest signed form.
public struct SignedSimulatedTransaction: Hashable, Sendable {
  /// What the store knows.
  public let transaction: SimulatedTransaction
  /// What it signs of it.
  public let signedTransaction: String
}
