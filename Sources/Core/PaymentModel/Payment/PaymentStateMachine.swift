package import PaymentPrimitives

/// Where a payment stands (docs/specification/states.md, “Payment”).
package enum PaymentState: Hashable, Sendable {
  /// Genuine and kept; matching has not been concluded.
  case verified
  case fulfilled
  /// Genuine, but nobody is known to own it.
  case unclaimed
  /// Genuine and ours, but an operator or later evidence must decide.
  case held(HoldReason)
  /// An operator has put it aside: nothing grants it until it is released.
  case setAside(SetAside)
  /// Taken back by the store before it was granted.
  case revoked
  /// Bought before the cut-over; delivered by the earlier system.
  case imported
  /// Granted, then taken back: so many of the granted parts in all (`Grant.parts`).
  case reversed(amount: Int64)
  /// Granted, taken back, given back: so many parts are still taken.
  case reinstated(amount: Int64)

  /// The state's word, without its particulars.
  package var word: String {
    switch self {
    case .verified: "verified"
    case .fulfilled: "fulfilled"
    case .unclaimed: "unclaimed"
    case .held: "held"
    case .setAside: "setAside"
    case .revoked: "revoked"
    case .imported: "imported"
    case .reversed: "reversed"
    case .reinstated: "reinstated"
    }
  }

  /// Whether it was granted at some time.
  package var wasGranted: Bool {
    switch self {
    case .fulfilled, .reversed, .reinstated: true
    case .verified, .unclaimed, .held, .setAside, .revoked, .imported: false
    }
  }
}

/// An operator's word that a payment is not to be granted for now.
package struct SetAside: Hashable, Sendable {
  package let by: String
  package let reason: String
  package let at: Timestamp
  /// Why it was held before; nil if it was unclaimed.
  package let former: HoldReason?

  package init(by name: String, reason: String, at moment: Timestamp, former: HoldReason?) {
    self.by = name
    self.reason = reason
    self.at = moment
    self.former = former
  }
}

/// Why a payment is held for an operator or for later evidence; part of the API for ever.
package enum HoldReason: String, Hashable, CaseIterable, Sendable {
  /// Signed by Apple without a word on the environment: Apple must be asked.
  case environmentUnknown
  /// Shown by a receipt, and Apple says for a day that it knows no such transaction.
  case unknownToApple
  /// The store's product is not in the catalog.
  case productUnknown
  /// The catalog says another kind than the store signed.
  case productKindDiffers
  /// The signed quantity is none that can be sold.
  case quantityOutOfRange
  /// An ownership that this version does not know.
  case ownershipUnknown
  /// Orders of several users fit and nothing decides between them.
  case ownerAmbiguous
  /// The fitting order is another user's and too old to be paid from this device.
  case orderOfAnotherUser
  /// The presenter's evidence does not come from the buyer's device.
  case notDeviceEvidence
  /// The device proof belongs to another device.
  case deviceDiffers
  /// No device proof, and the app claims strictly.
  case deviceProofMissing
  /// The Apple account is known as another user's alone.
  case accountOfAnotherUser
  /// The token is another user's UUID, in an app whose tokens name users.
  case tokenOfAnotherUser
  /// The token is the UUID of several users, who write it differently.
  case tokenUserAmbiguous
  /// Family sharing gives no units and pays no order.
  case familyShared
  /// The presenter has claimed too much today.
  case claimLimit
  /// Bought again after a refund under the same `originalTransactionId`: only an operator's claim grants it.
  case boughtAgainAfterRefund
  /// Bought before the cut-over, and nobody said whether the earlier system delivered it.
  case boughtBeforeCutOver
  /// The order that it would pay is frozen by a broken invariant.
  case orderFrozen
  /// A charge names an order number of our form that we do not have, or one for another store.
  case orderUnknown
  /// The charge is more or less than the order's price.
  case amountDiffers
  /// The charge is in another currency than the order's price.
  case currencyDiffers
  /// The charge was paid to another merchant than the order was opened for.
  case merchantDiffers
  /// The charge was paid in another app than the order was opened for, or states none.
  case storeAppDiffers
  /// An operator has released what they had set aside, and nothing has decided about it since.
  case released
}

/// What can happen to a payment.
package enum PaymentEvent: Hashable, Sendable {
  /// It was granted to an owner.
  case fulfilled
  case unclaimed
  /// An operator or later evidence must decide.
  case held(HoldReason)
  /// The store took it back before it was granted.
  case revoked
  /// It was bought before the cut-over.
  case imported
  case setAside(by: String, reason: String, at: Timestamp)
  /// An operator releases what was set aside.
  case released
  /// What froze its order has taken effect since: it is matched anew.
  case thawed
  /// So many parts of the grant are taken back in all.
  case reversed(amount: Int64)
  /// So many parts are still taken back after some were given back.
  case reinstated(amount: Int64)
}

/// A payment cannot go from one state to another.
package struct PaymentTransitionError: Error, Hashable, Sendable {
  package let state: PaymentState
  package let event: PaymentEvent
}

extension Payment {
  /// Whether matching may still be tried: nobody has been granted it, or it was imported without an owner.
  package var awaitsOwner: Bool {
    switch state {
    case .verified, .unclaimed, .held: true
    case .imported: owner == nil
    case .fulfilled, .setAside, .revoked, .reversed, .reinstated: false
    }
  }

  /// Whether an operator has put it aside.
  package var isSetAside: Bool { if case .setAside = state { true } else { false } }

  /// Takes an event in; false when it is no news.
  ///
  /// - Throws: `PaymentTransitionError` when the state never goes there; the payment is unchanged then.
  package mutating func receive(
    _ event: PaymentEvent
  ) throws(PaymentTransitionError) -> Bool {
    let before = state
    switch (event, state) {
    case (.fulfilled, .verified), (.fulfilled, .unclaimed), (.fulfilled, .held),
      (.fulfilled, .revoked), (.fulfilled, .imported):
      state = .fulfilled
    case (.unclaimed, .verified), (.unclaimed, .unclaimed),
      // Its refund was reversed, and nobody is known to own it.
      (.unclaimed, .revoked):
      state = .unclaimed
    case (.held(let reason), .verified), (.held(let reason), .unclaimed), (.held(let reason), .held),
      // A consumable known from history turns up on a phone, unfinished: it may never have been delivered.
      (.held(let reason), .imported),
      // Its refund was reversed.
      (.held(let reason), .revoked):
      state = .held(reason)
    case (.revoked, .verified), (.revoked, .unclaimed), (.revoked, .held), (.revoked, .setAside),
      (.revoked, .revoked):
      state = .revoked
    case (.imported, .verified), (.imported, .unclaimed), (.imported, .held), (.imported, .imported),
      (.imported, .revoked):
      state = .imported
    case (.thawed, .held(.orderFrozen)):
      state = .verified
    case (.setAside(let name, let reason, let moment), .held(let former)):
      state = .setAside(SetAside(by: name, reason: reason, at: moment, former: former))
    case (.setAside(let name, let reason, let moment), .unclaimed):
      state = .setAside(SetAside(by: name, reason: reason, at: moment, former: nil))
    case (.released, .setAside(let word)):
      state = .held(word.former ?? .released)
    case (.reversed(let amount), .fulfilled), (.reversed(let amount), .reversed),
      (.reversed(let amount), .reinstated):
      state = .reversed(amount: amount)
    case (.reinstated(let amount), .reversed), (.reinstated(let amount), .reinstated):
      state = .reinstated(amount: amount)
    case (.fulfilled, .fulfilled):
      break
    default:
      throw PaymentTransitionError(state: state, event: event)
    }
    return state != before
  }
}
