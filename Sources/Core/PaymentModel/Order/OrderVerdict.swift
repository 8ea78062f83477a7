package import PaymentPrimitives

/// What a client hears about a payment for an order; the words are part of the API.
package enum OrderVerdict: String, Hashable, CaseIterable, Sendable {
  /// The store has been asked and has not answered.
  case pending
  case held
  case revoked
  case fulfilled
  /// The earlier system delivered it.
  case imported
  /// The purchase that the order repeats was granted to another user.
  case fulfilledForAnother
}

/// The last verdict about a payment for an order, as a client received it.
package struct LastVerdict: Hashable, Sendable {
  package let verdict: OrderVerdict
  /// The reason, if the verdict has one.
  package let reason: String?
  package let at: Timestamp

  package init(_ verdict: OrderVerdict, reason: String? = nil, at: Timestamp) {
    self.verdict = verdict
    self.reason = reason
    self.at = at
  }
}

extension LastVerdict {
  /// The verdict of an unpaid order that a payment in this state names but does not pay; nil if it has none.
  package init?(namedByPaymentIn state: PaymentState, at now: Timestamp) {
    switch state {
    case .held, .setAside: self.init(.held, reason: state.reason, at: now)
    case .revoked: self.init(.revoked, at: now)
    case .verified, .fulfilled, .unclaimed, .imported, .reversed, .reinstated: return nil
    }
  }

  /// The verdict of an order that a payment pays.
  package init(paidByPaymentIn state: PaymentState, at now: Timestamp) {
    self.init(state == .imported ? .imported : .fulfilled, at: now)
  }

  /// The verdict of an order that names a product which its Apple account already owns.
  package init(
    alreadyOwnedBy owner: UserIdentifier, orderedBy user: UserIdentifier, in state: PaymentState, at now: Timestamp
  ) {
    let verdict: OrderVerdict = state == .imported ? .imported : user == owner ? .fulfilled : .fulfilledForAnother
    self.init(verdict, reason: CloseReason.alreadyOwned.rawValue, at: now)
  }
}

extension PaymentState {
  /// Why it is held, in the form that callers read; nil if it is not held.
  package var reason: String? {
    switch self {
    case .held(let reason): reason.rawValue
    case .setAside: name
    case .verified, .fulfilled, .unclaimed, .revoked, .imported, .reversed, .reinstated: nil
    }
  }
}
