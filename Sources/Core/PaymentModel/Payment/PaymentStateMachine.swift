package import PaymentPrimitives

/// The state of a payment (docs/specification/states.md, “Payment”).
package enum PaymentState: Hashable, Sendable {
  /// Genuine and kept; matching is not finished.
  case verified
  case fulfilled
  /// Genuine, but no owner is known.
  case unclaimed
  /// Genuine and ours, but an operator or later evidence must decide.
  case held(HoldReason)
  /// An operator put it aside: nothing grants it until it is released.
  case setAside(SetAside)
  /// The store took it back before it was granted.
  case revoked
  /// Bought before the cut-over; delivered by the earlier system.
  case imported
  /// Granted, then taken back: the total of parts taken back (`Grant.parts`).
  case reversed(amount: Int64)
  /// Granted, taken back, given back: the number of parts that are still taken back.
  case reinstated(amount: Int64)

  /// The name of the state, without its details.
  package var name: String {
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

  /// Whether it was ever granted.
  package var wasGranted: Bool {
    switch self {
    case .fulfilled, .reversed, .reinstated: true
    case .verified, .unclaimed, .held, .setAside, .revoked, .imported: false
    }
  }
}

/// An operator's decision that a payment is not granted for now.
package struct SetAside: Hashable, Sendable {
  package let by: String
  package let reason: String
  package let at: Timestamp
  /// The earlier hold reason; nil if it was unclaimed.
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
  /// Signed by Apple without an environment: Apple must be asked.
  case environmentUnknown
  /// A receipt shows it, and for a day Apple answers that it does not know the transaction.
  case unknownToApple
  /// The store's product is not in the catalog.
  case productUnknown
  /// The catalog has another kind than the store signed.
  case productKindDiffers
  /// The signed quantity is outside the range that can be sold.
  case quantityOutOfRange
  /// This version does not know the ownership.
  case ownershipUnknown
  /// Orders of several users fit, and nothing decides between them.
  case ownerAmbiguous
  /// The fitting order belongs to another user and is too old to be paid from this device.
  case orderOfAnotherUser
  /// The presenter's evidence does not come from the buyer's device.
  case notDeviceEvidence
  /// The device proof belongs to another device.
  case deviceDiffers
  /// There is no device proof, and the app requires one.
  case deviceProofMissing
  /// The Apple account is known only for another user.
  case accountOfAnotherUser
  /// The token is another user's UUID, in an app whose tokens name users.
  case tokenOfAnotherUser
  /// The token is the UUID of several users, in different spellings.
  case tokenUserAmbiguous
  /// Family sharing gives no units and pays no order.
  case familyShared
  /// The presenter has reached the daily claim limit.
  case claimLimit
  /// Bought again after a refund under the same `originalTransactionId`: only an operator's claim grants it.
  case boughtAgainAfterRefund
  /// Bought before the cut-over, and it is unknown whether the earlier system delivered it.
  case boughtBeforeCutOver
  /// A broken invariant froze the order that it would pay.
  case orderFrozen
  /// A charge names an order number of our form that we do not have, or that is for another store.
  case orderUnknown
  /// Its order was made in the time that a restored database knows nothing about, so its user is not known.
  case orderLost
  /// The charge is more or less than the order's price.
  case amountDiffers
  /// The charge is in another currency than the order's price.
  case currencyDiffers
  /// The charge was paid to another merchant than that of the order.
  case merchantDiffers
  /// The charge was paid in another app than that of the order, or states none.
  case storeAppDiffers
  /// An operator released a payment that was set aside, and it has not been matched again yet.
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
  /// The change that froze its order has taken effect: the payment is matched again.
  case thawed
  /// The total of parts of the grant that are taken back.
  case reversed(amount: Int64)
  /// The number of parts that are still taken back after some were given back.
  case reinstated(amount: Int64)
}

/// A transition between payment states that is not allowed.
package struct PaymentTransitionError: Error, Hashable, Sendable {
  package let state: PaymentState
  package let event: PaymentEvent
}

extension Payment {
  /// Whether matching may still be tried: it is not granted, or it was imported without an owner.
  package var awaitsOwner: Bool {
    switch state {
    case .verified, .unclaimed, .held: true
    case .imported: owner == nil
    case .fulfilled, .setAside, .revoked, .reversed, .reinstated: false
    }
  }

  package var isSetAside: Bool { if case .setAside = state { true } else { false } }

  /// Applies an event; returns false if nothing is new.
  ///
  /// - Throws: `PaymentTransitionError` when the state does not allow it; the payment is unchanged then.
  package mutating func receive(
    _ event: PaymentEvent
  ) throws(PaymentTransitionError) -> Bool {
    let before = state
    switch (event, state) {
    case (.fulfilled, .verified), (.fulfilled, .unclaimed), (.fulfilled, .held),
      (.fulfilled, .revoked), (.fulfilled, .imported):
      state = .fulfilled
    case (.unclaimed, .verified), (.unclaimed, .unclaimed),
      // Its refund was reversed, and no owner is known.
      (.unclaimed, .revoked):
      state = .unclaimed
    case (.held(let reason), .verified), (.held(let reason), .unclaimed), (.held(let reason), .held),
      // A consumable known from history is on a device, unfinished: it may never have been delivered.
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
    case (.released, .setAside(let record)):
      state = .held(record.former ?? .released)
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
