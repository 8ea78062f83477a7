package import PaymentPrimitives

/// Everything that the match rule looks at: the engine gathers it in one transaction, the rule itself asks nobody.
package struct MatchQuestion: Hashable, Sendable {
  /// The verified payment. Where another id of the same purchase names its owner, with that id's token and dates.
  package var payment: VerifiedPayment
  /// When it was bought, where `payment` has another id's dates.
  package var boughtAt: Timestamp?
  /// The catalog entry that the store's product means; nil if there is none.
  package var product: Product?
  /// The order of the payment's realm that its token names, if the token is ours.
  package var named: Order?
  /// Whom the token names, where it names no order and the app's tokens name users (`token_meaning = "user"`).
  package var tokenUser: TokenUser?
  /// What is known of the subscription line; nil if this is none or nothing else of it is known.
  package var line: SubscriptionFacts?
  /// In what a charge of WeChat Pay's differs from what its order expects; nil for a payment that is no charge.
  package var chargeDifferences: [ChargeDifference]?
  /// Who presents it, and with what; nil for notifications and for the publishable key.
  package var presentation: Presentation?
  /// Whether a client still holds the transaction, with or without a signed-in user: the store has not been told to
  /// finish it.
  package var isHeldByClient: Bool
  /// When Counterfoil began to deliver for this app; nil in a simulated profile.
  package var cutOver: CutOver?
  /// Whether the evidence cannot show a token, and the store did not answer: a match is made without it, and flagged.
  package var isTokenUnseen: Bool
  /// Whether the store says that it knows no such transaction, although it is well signed.
  package var isUnknownToStore: Bool
  /// Whether Counterfoil only watches the earlier system deliver (`mode: observe`).
  package var isObserving: Bool
  /// Whether it stands as imported already: then the earlier system delivered it, whatever `deliverFrom` says today.
  package var wasImported: Bool
  /// Who owned it by the earlier system's books, where the team has imported them.
  package var importedOwner: UserIdentifier?

  /// A question about a payment that nobody presents yet.
  package init(payment: VerifiedPayment, product: Product?) {
    self.payment = payment
    self.product = product
    self.isHeldByClient = false
    self.isTokenUnseen = false
    self.isUnknownToStore = false
    self.isObserving = false
    self.wasImported = false
  }

  /// Whether it belongs to the time in which the earlier system delivered.
  var isBeforeCutOver: Bool {
    isObserving || wasImported || cutOver.map { ownPurchaseDate < $0.deliverFrom } ?? false
  }

  /// When the payment itself was bought, whatever other ids of it say.
  var ownPurchaseDate: Timestamp { boughtAt ?? payment.purchaseDate }
}

/// What is known of a subscription line besides the payment in question.
package struct SubscriptionFacts: Hashable, Sendable {
  /// Another transaction of the line whose token names an order of ours.
  package struct NamedOrder: Hashable, Sendable {
    package var payment: PaymentKey
    /// When it was bought, by the store's signature.
    package var purchaseDate: Timestamp
    /// The order that its token names.
    package var order: OrderIdentifier
    /// That order's user.
    package var user: UserIdentifier
    /// Whether it could pay that order by product, quantity and time.
    package var fits: Bool

    /// A transaction that names an order.
    package init(
      payment: PaymentKey, purchaseDate: Timestamp, order: OrderIdentifier, user: UserIdentifier,
      fits: Bool
    ) {
      self.payment = payment
      self.purchaseDate = purchaseDate
      self.order = order
      self.user = user
      self.fits = fits
    }
  }

  /// Another transaction of the line whose token names a user, where tokens do.
  package struct NamedUser: Hashable, Sendable {
    package var payment: PaymentKey
    /// When it was bought, by the store's signature.
    package var purchaseDate: Timestamp
    package var user: UserIdentifier

    /// A transaction that names a user.
    package init(payment: PaymentKey, purchaseDate: Timestamp, user: UserIdentifier) {
      self.payment = payment
      self.purchaseDate = purchaseDate
      self.user = user
    }
  }

  /// The others that name an order of ours; FAMILY_SHARED ones are left out.
  package var named: [NamedOrder]
  /// The others that name a user; FAMILY_SHARED ones are left out.
  package var users: [NamedUser]
  /// Who claimed the line when no token named anybody.
  package var claimant: UserIdentifier?
  /// To whom a restore has moved it.
  package var transfer: Subscription.Transfer?

  package init(named: [NamedOrder], users: [NamedUser] = [], claimant: UserIdentifier?) {
    self.named = named
    self.users = users
    self.claimant = claimant
  }
}

/// A signed-in user's claim, with what his device sent along.
package struct Presentation: Hashable, Sendable {
  /// Whether the evidence shows that it comes from the buyer's device.
  package enum DeviceProof: String, Hashable, CaseIterable, Sendable {
    /// A signed transaction with `deviceVerification`, and the device's id gives the same hash.
    case fits
    /// Device evidence, but nothing to compare its proof with.
    case missing
    /// The proof belongs to another device.
    case differs
    /// The evidence is not device evidence at all: from a notification or the Server API.
    case notDeviceEvidence
  }

  package var user: UserIdentifier
  /// What the evidence says of the device.
  package var proof: DeviceProof
  /// The orders among the presented vault ids, as the store has them now.
  package var presented: [Order]
  /// The order that the client saw together with the transaction in one run.
  package var sameRun: OrderIdentifier?
  /// The signed-in user's own unpaid orders for this product.
  package var own: [Order]
  /// The users known, by exact matches, for the payment's `appTransactionId`.
  package var usersOfAppTransaction: Set<UserIdentifier>
  /// How much he has claimed by (3) and (4) within the last day.
  package var claimsToday: Int
  package var policy: ClaimPolicy

  /// A claim by a user with nothing sent along.
  package init(user: UserIdentifier, proof: DeviceProof, policy: ClaimPolicy) {
    self.user = user
    self.proof = proof
    self.presented = []
    self.own = []
    self.usersOfAppTransaction = []
    self.claimsToday = 0
    self.policy = policy
  }
}

/// How an app lets its users claim payments that name no order (setting `claims`).
package struct ClaimPolicy: Hashable, Sendable {
  /// Whether a missing device proof refuses (`strict`) or is flagged (`standard`).
  package var isStrict: Bool
  /// How many claims by (3) and (4) a user has in 24 hours.
  package var perDay: Int

  /// A policy; standard with 5 a day unless said otherwise.
  package init(isStrict: Bool = false, perDay: Int = 5) {
    self.isStrict = isStrict
    self.perDay = perDay
  }
}

/// The moment since which Counterfoil delivers for an app, and what is known of the time before.
package struct CutOver: Hashable, Sendable {
  /// What the team has said about the earlier system's deliveries.
  package enum Earlier: String, Hashable, Sendable {
    case notLoaded
    /// A list was loaded and names this transaction.
    case delivered
    /// A list was loaded and does not name it.
    case notDelivered
  }

  /// The setting `deliverFrom`.
  package var deliverFrom: Timestamp
  /// What is known of this transaction.
  package var earlier: Earlier

  /// A cut-over with what is known of the transaction.
  package init(deliverFrom: Timestamp, earlier: Earlier) {
    self.deliverFrom = deliverFrom
    self.earlier = earlier
  }
}

package enum MatchDecision: Hashable, Sendable {
  /// Grant it to that user; how, says the pairing.
  case grant(to: UserIdentifier, Pairing, rule: MatchRule, flags: Set<MatchFlag>)
  /// Bought before the cut-over and delivered by the earlier system: rights are read from it, nothing else is given.
  case imported(to: UserIdentifier?, Pairing, rule: MatchRule?, flags: Set<MatchFlag>)
  /// Keep it; an operator or later evidence decides.
  case held(HoldReason)
  /// Keep it; nobody is known to own it.
  case unclaimed

  /// Which order the payment pays.
  package enum Pairing: Hashable, Sendable {
    /// An order that exists.
    case order(OrderIdentifier)
    /// An order that a later payment of the same line had paid until now.
    case orderTakenFrom(PaymentKey, OrderIdentifier)
    /// An order to be made for it; it names the order that the token named, if it did.
    case derivedOrder(from: OrderIdentifier?)
    /// No order: a renewal, or a family member's right.
    case none
  }
}

extension MatchDecision {
  /// The same decision, with a flag where it names a rule.
  func flagged(_ flag: MatchFlag) -> MatchDecision {
    switch self {
    case .grant(let user, let pairing, let rule, let flags):
      .grant(to: user, pairing, rule: rule, flags: flags.union([flag]))
    case .imported(let user, let pairing, let rule, let flags):
      .imported(to: user, pairing, rule: rule, flags: flags.union([flag]))
    case .held, .unclaimed: self
    }
  }
}
