import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

// Claims of waiting payments. A client finishes a held transaction and never presents it again unasked. So its claim
// is stored, and decides as soon as possible.

extension DatabaseReader {
  /// The claims that are stored with a payment, the earliest first. A merged user's claim is that of the other user.
  func presentKeptClaims(of payment: PaymentKey) throws -> [OwnershipClaim] {
    try keptClaims(of: payment).compactMap { kept in
      guard var claim = OwnershipClaim(text: kept.claim) else { return nil }
      claim.user = try present(claim.user, in: payment.appEnvironment)
      return claim
    }
  }
}

extension FulfilmentTransaction {
  /// Stores the claim of this update with a payment that waits for its product, once.
  func keepClaim(with payment: Payment) throws {
    guard payment.waitsForItsProduct, let claim = update.claim, claim.mayCount else { return }
    guard try transaction.keep(claim, with: payment.key) else { return }
    try transaction.journal(.paymentClaimKept, payment, details: ["claim": claim.json])
  }

  /// This update with the earliest stored claim by which a payment that waited for its product can be granted now.
  ///
  /// If none grants it, the earliest by which another reason holds it: an operator must see what holds it now, not that
  /// the configuration once did. Nil if no claim decides anything.
  func withKeptClaim(for payment: Payment, _ purchase: PurchaseIds) throws -> FulfilmentTransaction? {
    guard payment.waitsForItsProduct, !purchase.isBoughtAgain else { return nil }
    let kept = try transaction.presentKeptClaims(of: payment.key)
    if let claim = update.claim, kept.contains(claim) { return nil }
    var held: FulfilmentTransaction?
    for claim in kept {
      var update = update
      update.claim = claim
      let earlier = FulfilmentTransaction(transaction, context, update: update)
      var facts = try MatchInputLoader(
        transaction, context, payment: earlier.matching(payment, purchase.statements), update: update)
      facts.boughtAt = payment.facts.purchaseDate
      switch try facts.decide() {
      case .grant: return earlier
      case .held(let reason) where !reason.waitsForProduct: held = held ?? earlier
      case .held, .imported, .unclaimed, nil: break
      }
    }
    return held
  }
}

extension DatabaseTransaction {
  /// Stores a claim with a payment; returns false if it is stored already, or there are too many.
  func keep(_ claim: OwnershipClaim, with payment: PaymentKey) throws -> Bool {
    let kept = try presentKeptClaims(of: payment)
    guard kept.count < KeptClaim.countMax, !kept.contains(claim) else { return false }
    try insert(KeptClaim(payment: payment, claim: claim.json.text, keptAt: now))
    return true
  }
}
