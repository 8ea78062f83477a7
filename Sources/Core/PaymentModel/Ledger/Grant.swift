package import PaymentPrimitives

/// What one payment gave: once per payment, with what has been taken back of it since.
package struct Grant: Hashable, Sendable {
  /// The payment that it came from; also its identity.
  package let payment: PaymentKey
  package var user: UserIdentifier
  package var content: GrantContent
  /// By what `content` is computed from the signed facts, as it was when the grant was made.
  package var promise: GrantPromise
  package var grantedAt: Timestamp
  /// How many of its parts are taken back at present: units, or 1 for an entitlement.
  package var takenBack: Int64

  /// What happens when more is taken back than its owner still has; that of the product when it was granted.
  package var debt: DebtPolicy { promise.debt }

  /// A grant with nothing taken back.
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

  /// Whether anything of it is in force.
  package var isInForce: Bool { takenBack < parts }
}

/// What a grant consists of, computed from the payment's signed product and quantity.
package enum GrantContent: Hashable, Sendable {
  /// So many units of a balance.
  case units(UnitName, amount: Int64)
  /// A right from one moment to another; without an end it lasts.
  case entitlement(EntitlementName, from: Timestamp, until: Timestamp?)
}

extension GrantRule {
  /// What a payment for `quantity` pieces gives; nil when the number of units would not fit 64 bits.
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

/// A change to a grant after it was made: a refund or its undoing, named so that it takes effect once.
package struct GrantChange: Hashable, Sendable {
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    case reversal
    /// Giving back what a reversal took.
    case reinstatement
    /// Moving a right to another user by a restore; nothing is taken or given.
    case transfer
  }

  package let payment: PaymentKey
  package let kind: Kind
  /// The name of the event: `date`, `date/total` or either with `#n`, where the date is that of the revocation in whole
  /// seconds; or `out_refund_no`; of a move ours.
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
  /// How many of a grant's parts are taken back in all once it stands: all, or for units floor(units × percentage).
  /// Apple states the percentage of the whole transaction, so parts that add up to the whole take back the whole.
  ///
  /// An entitlement has one part and no fraction: a store that takes back a period, even against part of the price, has
  /// ended it.
  package func amount(of grant: Grant) -> Int64 {
    guard let percentage, case .units = grant.content else { return grant.parts }
    let clamped = UInt64(min(max(percentage, 0), 100_000))
    let product = grant.parts.magnitude.multipliedFullWidth(by: clamped)
    return Int64(UInt64(100_000).dividingFullWidth(product).quotient)
  }
}
