package import PaymentPrimitives

extension Match {
  // MARK: the earlier system's books

  /// Nothing that the store signed names anybody, but the earlier system's books do: the team's word stands before the
  /// claim of whoever is signed in. Only for what the earlier system sold, and for a line that has no owner yet.
  static func byImportedOwner(_ question: MatchQuestion) -> MatchDecision? {
    let payment = question.payment
    guard let owner = question.importedOwner, question.isBeforeCutOver || payment.kind == .autoRenewable
    else { return nil }
    let isFamily = payment.ownership == .familyShared
    if isFamily {
      guard case .entitlement = question.product?.grant else { return nil }
    }
    let withoutOrder = isFamily || payment.kind == .autoRenewable
    return .grant(
      to: owner, withoutOrder ? .none : .derivedOrder(from: nil), rule: .operator, flags: [.importedOwner])
  }

  // MARK: cut-over

  /// What the earlier system delivered is not given again; what it did not deliver must not vanish.
  ///
  /// Only a consumable can vanish: rights are read from the payment whoever delivered it. While Counterfoil observes,
  /// the earlier system still delivers: nothing has vanished yet.
  static func beforeCutOver(_ decision: MatchDecision, _ question: MatchQuestion) -> MatchDecision {
    switch decision {
    case .held, .imported:
      return decision
    case .unclaimed:
      return unownedBeforeCutOver(question)
    case .grant(let user, let pairing, let rule, let flags):
      guard !question.isObserving else {
        return .imported(to: user, pairing, rule: rule, flags: flags.union([.observed]))
      }
      let imported = MatchDecision.imported(to: user, pairing, rule: rule, flags: flags)
      guard question.payment.kind == .consumable, let earlier = question.cutOver?.earlier else { return imported }
      switch earlier {
      case .delivered: return imported
      case .notDelivered: return decision
      case .notLoaded: return question.isHeldByClient ? .held(.boughtBeforeCutOver) : imported
      }
    }
  }

  private static func unownedBeforeCutOver(_ question: MatchQuestion) -> MatchDecision {
    let imported = MatchDecision.imported(to: nil, .none, rule: nil, flags: [])
    guard !question.isObserving, question.payment.kind == .consumable, let earlier = question.cutOver?.earlier
    else { return imported }
    switch earlier {
    case .delivered: return imported
    case .notLoaded: return question.isHeldByClient ? .held(.boughtBeforeCutOver) : imported
    case .notDelivered:
      // Its buyer is still owed it. What stands as imported does not become unclaimed again, but it can be held.
      guard question.wasImported else { return .unclaimed }
      return question.isHeldByClient ? .held(.boughtBeforeCutOver) : imported
    }
  }

  /// A consumable whose owner is known, imported or held since, that a client still holds unfinished after the
  /// cut-over: the earlier system may never have delivered it. It goes to that owner or to nobody, whoever presents
  /// it.
  ///
  /// - Returns: nil where nothing changes.
  package static func stillOwed(_ payment: Payment, to owner: UserIdentifier, _ earlier: CutOver.Earlier)
    -> MatchDecision?
  {
    guard payment.facts.kind == .consumable, payment.facts.revocation == nil else { return nil }
    let (rule, flags) = (payment.match?.rule ?? .operator, payment.match?.flags ?? [])
    let pairing: MatchDecision.Pairing = payment.order.map { .order($0) } ?? .derivedOrder(from: nil)
    switch (earlier, payment.state) {
    case (.notDelivered, .imported), (.notDelivered, .held(.boughtBeforeCutOver)):
      return .grant(to: owner, pairing, rule: rule, flags: flags)
    case (.notLoaded, .imported):
      return .held(.boughtBeforeCutOver)
    case (.delivered, .held(.boughtBeforeCutOver)):
      return .imported(to: owner, pairing, rule: rule, flags: flags)
    default: return nil
    }
  }
}
