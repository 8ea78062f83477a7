import PaymentPrimitives

extension Match {
  // MARK: the token names a user

  /// Whom the payment's own token names, if it counts: an order stands before a user, and a family member's token names
  /// nobody.
  static func tokenUser(_ question: MatchQuestion) -> TokenUser? {
    guard question.named == nil, question.payment.ownership == .purchased else { return nil }
    return question.tokenUser
  }

  /// The store signed a user's UUID: he is served as if he were signed in, by (3) and (4), whoever presents it and
  /// however much he has claimed today. Nobody claims here: the store names him.
  static func byTokenUser(_ question: MatchQuestion) -> MatchDecision? {
    guard case .known(let user, let own) = tokenUser(question) else { return nil }
    let presented = question.presentation?.presented ?? []
    let fitting = [presented, own].map { $0.filter { $0.user == user && isCandidate($0, for: question) } }
    // What the device kept for this purchase is closer to it than what else he has ordered.
    let rule: MatchRule = fitting[0].isEmpty ? .inferred : .presented
    let candidates = fitting[0].isEmpty ? fitting[1] : fitting[0]
    guard !candidates.isEmpty else {
      return .grant(to: user, .derivedOrder(from: nil), rule: .derived, flags: [.tokenNamesUser])
    }
    let order = chosen(candidates, for: question.payment.purchaseDate)
    guard order.frozenBecause == nil else { return .held(.orderFrozen) }
    var flags: Set<MatchFlag> = [.tokenNamesUser]
    if rule == .inferred { flags.insert(.inferred) }
    if candidates.count > 1 { flags.insert(.severalCandidates) }
    if case .closed = order.state { flags.insert(.late) }
    return .grant(to: user, .order(order.key.id), rule: rule, flags: flags)
  }

  /// Why whoever presents it may not claim it: the token is another user's UUID, whether he is known here yet or not.
  static func tokenOfAnother(_ question: MatchQuestion) -> HoldReason? {
    tokenUser(question) == .unknown ? .tokenOfAnotherUser : nil
  }
}
