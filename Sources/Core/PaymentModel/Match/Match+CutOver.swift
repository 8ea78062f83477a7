package import PaymentPrimitives

extension Match {
  // MARK: records of the earlier system

  /// No signed data names a user, but the records of the earlier system do. The team's record has priority over the
  /// claim of the signed-in user. Only for sales of the earlier system, and for a subscription without an owner.
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

  /// What the earlier system delivered is not granted again; what it did not deliver must not be lost.
  ///
  /// Only a consumable can be lost: entitlements are read from the payment, whichever system delivered it. While
  /// Counterfoil only observes, the earlier system still delivers, so nothing is lost yet.
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
      // The buyer may still be owed it. An imported payment never becomes unclaimed again, but it can be held.
      guard question.wasImported else { return .unclaimed }
      return question.isHeldByClient ? .held(.boughtBeforeCutOver) : imported
    }
  }

  /// A consumable whose known owner may not have received it: it is imported or held, and a client still holds it
  /// unfinished after the cut-over. It goes to that owner or to no one, whoever presents it.
  ///
  /// - Returns: nil if nothing changes.
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
