import PaymentPrimitives

extension Match {
  /// (1) For a store that knows no products: only the order number pairs, and every fact from the store must match the
  /// order. No other user can claim the payment, so nothing is guessed.
  static func byCharge(_ question: MatchQuestion, _ differences: [ChargeDifference]) -> MatchDecision {
    guard let named = question.named, named.store == question.payment.key.store else {
      return .held(question.isOrderLost && question.named == nil ? .orderLost : .orderUnknown)
    }
    if let first = differences.first { return .held(HoldReason(first)) }
    guard named.frozenBecause == nil else { return .held(.orderFrozen) }
    switch named.state {
    case .awaitingPayment:
      return .grant(to: named.user, .order(named.key.id), rule: .exact, flags: [])
    case .closed:
      return .grant(to: named.user, .order(named.key.id), rule: .exact, flags: [.late])
    case .paid(let payment, _):
      guard payment != question.payment.key else {
        return .grant(to: named.user, .order(named.key.id), rule: .exact, flags: [])
      }
      return .grant(to: named.user, .derivedOrder(from: named.key.id), rule: .exact, flags: [.paidTwice])
    }
  }
}

extension HoldReason {
  /// The hold reason for a difference.
  init(_ difference: ChargeDifference) {
    switch difference {
    case .order: self = .orderUnknown
    case .amount: self = .amountDiffers
    case .currency: self = .currencyDiffers
    case .merchant: self = .merchantDiffers
    case .storeApp: self = .storeAppDiffers
    }
  }
}
