import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The claimant was merged into another user; nothing was written yet.
struct ClaimantMerged: Error {
  let into: UserIdentifier
}

extension PaymentUpdate {
  /// Runs a body, once more with the other user if the claimant was merged into one.
  func followingMerge<Value>(_ body: (PaymentUpdate) throws -> Value) throws -> Value {
    do { return try body(self) } catch let merged as ClaimantMerged {
      var update = self
      update.claim?.user = merged.into
      return try body(update)
    }
  }

  /// Stops if the claimant was merged into another user. It is asked after the first rows, so that a database on a
  /// server is asked both at once.
  ///
  /// - Throws: `ClaimantMerged`.
  func checkClaimant(_ transaction: any DatabaseTransaction) throws {
    guard let claim else { return }
    let present = try transaction.present(claim.user, in: facts.key.appEnvironment)
    if present != claim.user { throw ClaimantMerged(into: present) }
  }
}
