import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import StrictJSON

// Claims of waiting payments. A client finishes a held transaction and never presents it again unasked. So its claim
// is stored, and decides as soon as possible.

extension FulfilmentTransaction {
  /// The first claims are the most complete: the device still had all its records.
  private static let keptClaimsMax = 20

  /// The claims that are stored with a payment, the earliest first.
  static func keptClaims(of payment: PaymentKey, _ store: any DatabaseReader) throws -> [PaymentUpdate.Claim] {
    let claims = try store.journal(of: payment).compactMap { entry in
      (try? JSONReader.read(entry.details.utf8))?["claim"].flatMap { PaymentUpdate.Claim(text: $0.text) }
    }
    return Array(claims.prefix(keptClaimsMax))
  }

  /// Stores the claim of this update with a payment that waits for its product, once.
  func keepClaim(with payment: Payment) throws {
    guard payment.waitsForItsProduct, let claim = news.claim, claim.mayCount else { return }
    let kept = try Self.keptClaims(of: payment.key, transaction)
    guard kept.count < Self.keptClaimsMax, !kept.contains(claim) else { return }
    try journal("payment.claimKept", payment, details: ["claim": claim.json])
  }

  /// This update with the earliest stored claim by which a payment that waited for its product can be granted now;
  /// nil if there is none.
  func withKeptClaim(for payment: Payment, _ purchase: PurchaseIds) throws -> FulfilmentTransaction? {
    guard payment.waitsForItsProduct, !purchase.isBoughtAgain else { return nil }
    let kept = try Self.keptClaims(of: payment.key, transaction)
    if let claim = news.claim, kept.contains(claim) { return nil }
    for claim in kept {
      var news = news
      news.claim = claim
      let earlier = FulfilmentTransaction(transaction, context, news)
      var facts = try MatchInputLoader(transaction, context, earlier.matching(payment, purchase.statements), news)
      facts.boughtAt = payment.facts.purchaseDate
      if case .grant = try facts.decide() { return earlier }
    }
    return nil
  }
}

extension Payment {
  /// Whether it is held because the catalog did not know its product, or knew another kind.
  var waitsForItsProduct: Bool {
    guard key.store == .appStore, case .held(let reason) = state else { return false }
    return reason.waitsForProduct
  }
}

extension HoldReason {
  /// Whether only the configuration prevents the grant.
  fileprivate var waitsForProduct: Bool { self == .productUnknown || self == .productKindDiffers }

  /// Whether the claims with which such a payment is presented are stored for later.
  var keepsClaims: Bool { self == .ownerAmbiguous || waitsForProduct }
}

extension PaymentUpdate.Claim {
  /// Whether a grant could ever follow from it: data of another device, or copied data, claims nothing.
  var mayCount: Bool { proof == .fits || proof == .missing }
}
