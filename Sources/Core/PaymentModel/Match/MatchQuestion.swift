package import PaymentPrimitives

/// All data that the match rule uses. The engine collects it in one transaction; the rule itself reads nothing else.
package struct MatchQuestion: Hashable, Sendable {
  /// The verified payment. If another id of the same purchase names its owner, it carries that id's token and dates.
  package var payment: VerifiedPayment
  /// When it was bought, if `payment` has another id's dates.
  package var boughtAt: Timestamp?
  /// The catalog entry of the store's product; nil if there is none.
  package var product: Product?
  /// The order that the payment's token names, in the payment's app environment; nil if the token is not ours.
  package var named: Order?
  /// Whether the token names no order because a restored database has lost it, and no other payment tells whose it was.
  package var isOrderLost: Bool
  /// The user that the token names, if it names no order and the app's tokens name users (`token_meaning = "user"`).
  package var tokenUser: TokenUser?
  /// Known facts of the subscription; nil for other products, or if nothing else of it is known.
  package var subscription: SubscriptionFacts?
  /// The differences between a WeChat Pay charge and its order; nil for a payment that is not a charge.
  package var chargeDifferences: [ChargeDifference]?
  /// Who presents it, and with what; nil for notifications and for the publishable key, and where signed facts decide
  /// alone (`Match.asksForPresentation`).
  package var presentation: Presentation?
  /// Whether a client still holds the transaction, with or without a signed-in user. The store has not been told to
  /// finish it.
  package var isHeldByClient: Bool
  /// When Counterfoil began to deliver for this app; nil in a simulated profile.
  package var cutOver: CutOver?
  /// Whether the evidence cannot show a token and the store did not answer. The match then ignores the token and gets
  /// a flag.
  package var isTokenUnseen: Bool
  /// Whether the store does not know the transaction, although its signature is valid.
  package var isUnknownToStore: Bool
  /// Whether Counterfoil only observes while the earlier system delivers (`mode: observe`).
  package var isObserving: Bool
  /// Whether it is already recorded as imported. Then the earlier system delivered it, whatever `deliverFrom` is now.
  package var wasImported: Bool
  /// The owner in the records of the earlier system, if the team imported them.
  package var importedOwner: UserIdentifier?

  /// A question about a payment without a presenter.
  package init(payment: VerifiedPayment, product: Product?) {
    self.payment = payment
    self.product = product
    self.isOrderLost = false
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

  /// When the payment itself was bought, whatever its other ids say.
  var ownPurchaseDate: Timestamp { boughtAt ?? payment.purchaseDate }
}

/// Known facts of a subscription, apart from the payment in question.
package struct SubscriptionFacts: Hashable, Sendable {
  /// Another transaction of the subscription, with a token that names an order of ours.
  package struct NamedOrder: Hashable, Sendable {
    package var payment: PaymentKey
    /// The purchase date, signed by the store.
    package var purchaseDate: Timestamp
    /// The order that its token names.
    package var order: OrderIdentifier
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

  /// Another transaction of the subscription, with a token that names a user (`token_meaning = "user"`).
  package struct NamedUser: Hashable, Sendable {
    package var payment: PaymentKey
    /// The purchase date, signed by the store.
    package var purchaseDate: Timestamp
    package var user: UserIdentifier

    /// A transaction that names a user.
    package init(payment: PaymentKey, purchaseDate: Timestamp, user: UserIdentifier) {
      self.payment = payment
      self.purchaseDate = purchaseDate
      self.user = user
    }
  }

  /// The other transactions that name an order of ours, without FAMILY_SHARED ones.
  package var named: [NamedOrder]
  /// The other transactions that name a user, without FAMILY_SHARED ones.
  package var users: [NamedUser]
  /// The user who claimed the subscription when no token named a user.
  package var claimant: UserIdentifier?
  /// The last move by a restore.
  package var transfer: Subscription.Transfer?

  package init(named: [NamedOrder], users: [NamedUser] = [], claimant: UserIdentifier?) {
    self.named = named
    self.users = users
    self.claimant = claimant
  }
}

/// A signed-in user's claim, with the data that their device sent.
package struct Presentation: Hashable, Sendable {
  /// Whether the evidence shows that it comes from the buyer's device.
  package enum DeviceProof: String, Hashable, CaseIterable, Sendable {
    /// A signed transaction with `deviceVerification`, and the device's id gives the same hash.
    case fits
    /// Device evidence, but there is nothing to compare its proof with.
    case missing
    /// The proof belongs to another device.
    case differs
    /// No device evidence: it comes from a notification or the Server API.
    case notDeviceEvidence
  }

  package var user: UserIdentifier
  /// What the evidence says about the device.
  package var proof: DeviceProof
  /// The orders among the presented vault ids, as the database has them now.
  package var presented: [Order]
  /// The order that the client saw together with the transaction in one run.
  package var sameRun: OrderIdentifier?
  /// The signed-in user's own unpaid orders for this product.
  package var own: [Order]
  /// The users known, by exact matches, for the payment's `appTransactionId`.
  package var usersOfAppTransaction: Set<UserIdentifier>
  /// How many payments the user has claimed by (3) and (4) within the last day.
  package var claimsToday: Int
  package var policy: ClaimPolicy

  /// A claim by a user without further data from the device.
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

/// How an app's users may claim payments that name no order (setting `claims`).
package struct ClaimPolicy: Hashable, Sendable {
  /// Whether a missing device proof holds the payment (`strict`) or is flagged (`standard`).
  package var isStrict: Bool
  /// How many claims by (3) and (4) a user may make in 24 hours.
  package var perDay: Int

  /// A policy; default: standard, 5 claims a day.
  package init(isStrict: Bool = false, perDay: Int = 5) {
    self.isStrict = isStrict
    self.perDay = perDay
  }
}

/// The moment from which Counterfoil delivers for an app, and what is known of the time before.
package struct CutOver: Hashable, Sendable {
  /// What the team declared about the earlier system's deliveries.
  package enum Earlier: String, Hashable, Sendable {
    case notLoaded
    /// A list was loaded and contains this transaction.
    case delivered
    /// A list was loaded and does not contain it.
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
  /// Grant it to that user; the pairing says which order it pays.
  case grant(to: UserIdentifier, Pairing, rule: MatchRule, flags: Set<MatchFlag>)
  /// Bought before the cut-over and delivered by the earlier system. Entitlements are read from it, nothing else is
  /// granted.
  case imported(to: UserIdentifier?, Pairing, rule: MatchRule?, flags: Set<MatchFlag>)
  /// Keep it; an operator or later evidence decides.
  case held(HoldReason)
  /// Keep it; no owner is known.
  case unclaimed

  /// The order that the payment pays.
  package enum Pairing: Hashable, Sendable {
    /// An existing order.
    case order(OrderIdentifier)
    /// An order that was paid until now by a later payment of the same subscription.
    case orderTakenFrom(PaymentKey, OrderIdentifier)
    /// A new derived order. It names the order that the token named, if any.
    case derivedOrder(from: OrderIdentifier?)
    /// No order: a renewal, or a family member's entitlement.
    case none
  }
}

extension MatchDecision {
  /// The same decision; if it names a rule, with the flag added.
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
