package import PaymentPrimitives

/// What one payment gave, once per payment, and how much of it has been taken back since.
package struct Grant: Hashable, Sendable {
  /// The payment behind the grant; also the grant's identity.
  package let payment: PaymentKey
  package var user: UserIdentifier
  package var content: GrantContent
  /// The rule that computes `content` from the signed facts, fixed when the grant was created.
  package var promise: GrantPromise
  package var grantedAt: Timestamp
  /// How many of its parts are taken back now: units, or 1 for an entitlement.
  package var takenBack: Int64

  /// What happens when more is taken back than the owner still has; fixed when the grant was created.
  package var debt: DebtPolicy { promise.debt }

  /// A grant without anything taken back.
  package init(
    payment: PaymentKey, user: UserIdentifier, content: GrantContent, promise: GrantPromise, grantedAt: Timestamp
  ) {
    self.payment = payment
    self.user = user
    self.content = content
    self.promise = promise
    self.grantedAt = grantedAt
    self.takenBack = 0
  }

  /// How many parts it has: its units, or 1 for an entitlement.
  package var parts: Int64 {
    switch content {
    case .units(_, let amount): amount
    case .entitlement: 1
    }
  }

  /// Whether any part of it is in force.
  package var isInForce: Bool { takenBack < parts }
}

/// The content of a grant, computed from the payment's signed product and quantity.
package enum GrantContent: Hashable, Sendable {
  /// A number of units on a balance.
  case units(UnitName, amount: Int64)
  /// An entitlement from one moment to another; without an end it lasts.
  case entitlement(EntitlementName, from: Timestamp, until: Timestamp?)
}

extension GrantRule {
  /// What a payment for `quantity` pieces gives; nil when the number of units does not fit 64 bits.
  package func content(of payment: VerifiedPayment) -> GrantContent? {
    switch self {
    case .units(let unit, let perPiece):
      let (amount, overflow) = perPiece.multipliedReportingOverflow(by: Int64(payment.quantity))
      return overflow ? nil : .units(unit, amount: amount)
    case .entitlement(let name, let period):
      if let period {
        let length = TimeSpan(milliseconds: period.milliseconds * Int64(payment.quantity))
        return .entitlement(
          name, from: payment.purchaseDate, until: payment.purchaseDate + length)
      }
      return .entitlement(name, from: payment.purchaseDate, until: payment.expiresDate)
    }
  }
}

/// A later change to a grant: a refund or its reinstatement. Its name ensures that it takes effect only once.
package struct GrantChange: Hashable, Sendable {
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    case reversal
    /// Gives back what a reversal took.
    case reinstatement
    /// A restore moves an entitlement to another user; nothing is taken or given.
    case transfer
  }

  package let payment: PaymentKey
  package let kind: Kind
  /// The name of the event. A refund is `date` or `date/total`, each with an optional `#n`; the date is that of the
  /// revocation in whole seconds. WeChat Pay refunds use `out_refund_no`; transfers use a name of ours.
  package let cause: String
  /// Parts taken or given by this change.
  package let amount: Int64
  package let at: Timestamp

  package init(payment: PaymentKey, kind: Kind, cause: String, amount: Int64, at: Timestamp) {
    self.payment = payment
    self.kind = kind
    self.cause = cause
    self.amount = amount
    self.at = at
  }
}

extension Revocation {
  /// How many of a grant's parts this revocation takes back in total: all, or for units floor(units × percentage).
  /// Apple states the percentage of the whole transaction, so parts that add up to the whole take back the whole.
  ///
  /// An entitlement has one part and no fraction. If the store takes back a period, it ends the entitlement, even
  /// against a part of the price.
  package func amount(of grant: Grant) -> Int64 {
    guard let percentage, case .units = grant.content else { return grant.parts }
    let clamped = UInt64(min(max(percentage, 0), 100_000))
    let product = grant.parts.magnitude.multipliedFullWidth(by: clamped)
    return Int64(UInt64(100_000).dividingFullWidth(product).quotient)
  }
}
