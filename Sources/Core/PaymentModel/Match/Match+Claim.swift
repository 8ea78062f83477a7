import PaymentPrimitives

extension Match {
  // MARK: (2) presented

  /// The device sent its evidence together with the ids of fitting orders in its vault.
  static func byPresentedOrders(
    _ question: MatchQuestion, _ presentation: Presentation
  ) -> MatchDecision? {
    // A family-shared purchase never pays an order. Evidence from elsewhere than the device proves no vault.
    guard question.payment.ownership == .purchased, presentation.proof != .notDeviceEvidence else {
      return nil
    }
    var candidates = presentation.presented.filter { isCandidate($0, for: question) }
    guard !candidates.isEmpty else { return nil }
    var flags: Set<MatchFlag> = []
    if Set(candidates.map(\.user)).count > 1 {
      candidates = candidates.filter { $0.key.id == presentation.sameRun }
      guard !candidates.isEmpty else { return .held(.ownerAmbiguous) }
    }
    if candidates.count > 1 { flags.insert(.severalCandidates) }
    let order = chosen(candidates, for: question.payment.purchaseDate)
    guard order.frozenBecause == nil else { return .held(.orderFrozen) }
    if order.user == presentation.user {
      if let reason = obstacle(to: presentation, question) { return .held(reason) }
    } else {
      guard presentation.proof != .differs else { return .held(.deviceDiffers) }
      guard order.createdAt >= question.payment.purchaseDate - foreignOrderAge else {
        return .held(.orderOfAnotherUser)
      }
      flags.insert(.presentedByAnother)
    }
    flags.formUnion(commonFlags(order, presentation))
    return .grant(to: order.user, .order(order.key.id), rule: .presented, flags: flags)
  }

  // MARK: (3) inferred, (4) derived

  /// Nothing names an order. If the signed-in user may claim, the payment pays their own fitting order or a new
  /// derived one.
  static func byClaim(
    _ question: MatchQuestion, _ presentation: Presentation
  ) -> MatchDecision {
    if let reason = obstacle(to: presentation, question) { return .held(reason) }
    // A history from before the cut-over gives no units, however long it is: it does not count.
    guard question.isBeforeCutOver || presentation.claimsToday < presentation.policy.perDay else {
      return .held(.claimLimit)
    }
    let isFamily = question.payment.ownership == .familyShared
    let candidates = isFamily ? [] : presentation.own.filter { isCandidate($0, for: question) }
    guard !candidates.isEmpty else {
      let flags: Set<MatchFlag> = presentation.proof == .missing ? [.deviceProofMissing] : []
      return .grant(
        to: presentation.user, isFamily ? .none : .derivedOrder(from: nil), rule: .derived,
        flags: flags)
    }
    let order = chosen(candidates, for: question.payment.purchaseDate)
    guard order.frozenBecause == nil else { return .held(.orderFrozen) }
    var flags = commonFlags(order, presentation).union([.inferred])
    if candidates.count > 1 { flags.insert(.severalCandidates) }
    return .grant(to: presentation.user, .order(order.key.id), rule: .inferred, flags: flags)
  }

  // MARK: who may claim

  /// Why the presenter may not claim for themselves; nil if they may.
  private static func obstacle(
    to presentation: Presentation, _ question: MatchQuestion
  ) -> HoldReason? {
    switch presentation.proof {
    case .notDeviceEvidence: return .notDeviceEvidence
    case .differs: return .deviceDiffers
    case .missing where presentation.policy.isStrict: return .deviceProofMissing
    case .missing, .fits: break
    }
    let known = presentation.usersOfAppTransaction
    guard known.isEmpty || known.contains(presentation.user) else { return .accountOfAnotherUser }
    if question.payment.ownership == .familyShared {
      guard case .entitlement = question.product?.grant else { return .familyShared }
    }
    return nil
  }

  /// Chooses among several orders of one user: the newest from before the purchase, else the oldest.
  static func chosen(_ candidates: [Order], for purchaseDate: Timestamp) -> Order {
    let byAge = candidates.sorted { ($0.createdAt, $0.key) < ($1.createdAt, $1.key) }
    return byAge.last { $0.createdAt <= purchaseDate } ?? byAge[0]
  }

  private static func commonFlags(
    _ order: Order, _ presentation: Presentation
  ) -> Set<MatchFlag> {
    var flags: Set<MatchFlag> = []
    if presentation.proof == .missing { flags.insert(.deviceProofMissing) }
    if case .closed = order.state { flags.insert(.late) }
    return flags
  }
}
