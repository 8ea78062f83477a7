import PaymentPrimitives

extension Match {
  // MARK: the token names a user

  /// The user that the payment's own token names, if it counts. An order has priority over a user, and a family
  /// member's token names no user.
  static func tokenUser(_ question: MatchQuestion) -> TokenUser? {
    guard question.named == nil, question.payment.ownership == .purchased else { return nil }
    return question.tokenUser
  }

  /// The store signed a user's UUID. Rules (3) and (4) apply as if this user were signed in, whoever presents the
  /// payment. The daily limit does not apply: this is no claim, because the store names the user.
  static func byTokenUser(_ question: MatchQuestion) -> MatchDecision? {
    guard case .known(let user, let own) = tokenUser(question) else { return nil }
    let presented = question.presentation?.presented ?? []
    let fitting = [presented, own].map { $0.filter { $0.user == user && isCandidate($0, for: question) } }
    // Orders that the device kept for this purchase come before other orders of the user.
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

  /// Why the presenter may not claim it: the token is another user's UUID, known here or not.
  static func tokenOfAnother(_ question: MatchQuestion) -> HoldReason? {
    tokenUser(question) == .unknown ? .tokenOfAnotherUser : nil
  }
}
