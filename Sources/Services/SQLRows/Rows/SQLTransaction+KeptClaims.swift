import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  func keptClaims(of payment: PaymentKey) throws -> [KeptClaim] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(KeptClaimSQL.ofPayment, { $0.add(identifier) }) {
      KeptClaim(payment: payment, claim: $0.text(), keptAt: $0.timestamp())
    }
  }

  func insert(_ claim: KeptClaim) throws {
    let payment = try identifierForWriting(of: claim.payment)
    try write(KeptClaimSQL.insert) {
      $0.add(payment)
      $0.add(claim.claim)
      $0.add(claim.keptAt)
    }
  }
}

enum KeptClaimSQL {
  static let ofPayment = SQL(
    "SELECT claim, kept_at FROM kept_claims \(hint: "kept_claims_of_payment") WHERE payment = ? ORDER BY id")
  static let insert = SQL("INSERT INTO kept_claims (payment, claim, kept_at) VALUES (?, ?, ?)")

  static let all = [ofPayment, insert]
}
