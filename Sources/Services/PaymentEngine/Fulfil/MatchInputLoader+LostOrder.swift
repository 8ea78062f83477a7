import PaymentDatabase
import PaymentModel
import PaymentPrimitives

// Orders that a restored database has lost.
extension MatchInputLoader {
  /// Whether a token names an order that was made in the time that a restored database knows nothing about.
  ///
  /// - Parameter token: one that names no order here.
  func isLost(_ token: OrderIdentifier) throws -> Bool {
    guard let made = token.madeAt, !context.app.isObserving else { return false }
    return try PaymentEngine.backupGap(in: transaction)?.covers(made, at: transaction.now) ?? false
  }

  /// Whether the payment's own token names a lost order, and nothing tells whose it was.
  ///
  /// Once a payment of the same subscription with this token was granted, its owner is known: an operator gave it.
  func isOrderLost(_ question: MatchQuestion) throws -> Bool {
    let facts = question.payment
    guard question.named == nil, question.tokenUser == nil, facts.ownership == .purchased, let token = facts.token,
      try isLost(token)
    else { return false }
    guard facts.kind == .autoRenewable else { return true }
    return try !transaction.payments(ofOriginal: facts.originalKey).contains {
      $0.key != payment.key && $0.facts.token == token && $0.state.wasGranted && $0.owner != nil
    }
  }
}
