package import PaymentPrimitives

/// Pairs one payment with one order: docs/specification/matching.md as one pure function.
///
/// A pairing happens once and never guesses across users. The question contains all data that the rule may use.
package enum Match {
  /// How long before its order a purchase may be, because clocks differ.
  package static let clockAllowance = TimeSpan.minutes(5)
  /// How long after its order a purchase may still pay it.
  package static let orderLifetime = TimeSpan.days(30)
  /// Maximum age of an order of *another* user that a device may present for payment.
  package static let foreignOrderAge = TimeSpan.hours(24)

  package static func decide(_ question: MatchQuestion) -> MatchDecision {
    // An order here was made here, whenever it is paid: the cut-over is about payments without one.
    if let differences = question.chargeDifferences { return byCharge(question, differences) }
    guard !question.isUnknownToStore else { return .held(.unknownToApple) }
    let decision = byRules(question)
    let decided = question.isBeforeCutOver ? beforeCutOver(decision, question) : decision
    return question.isTokenUnseen ? decided.flagged(.tokenUnseen) : decided
  }

  /// Whether the presenter may matter. If not, the presentation need not be read: signed facts decide alone.
  package static func asksForPresentation(_ question: MatchQuestion) -> Bool {
    question.chargeDifferences == nil && !question.isUnknownToStore && bySignedFacts(question) == nil
  }

  private static func byRules(_ question: MatchQuestion) -> MatchDecision {
    if let decision = bySignedFacts(question) { return decision }
    if let decision = byTokenUser(question) { return decision }
    if let decision = byImportedOwner(question) { return decision }
    guard let presentation = question.presentation else { return .unclaimed }
    if let reason = tokenOfAnother(question) { return .held(reason) }
    if let decision = byPresentedOrders(question, presentation) { return decision }
    return byClaim(question, presentation)
  }

  /// What neither the presenter nor what their device sent can change.
  private static func bySignedFacts(_ question: MatchQuestion) -> MatchDecision? {
    if let reason = unsellable(question) { return .held(reason) }
    guard tokenUser(question) != .ambiguous else { return .held(.tokenUserAmbiguous) }
    // Somebody made that order. Whoever presents the payment may be another user of the device.
    guard !question.isOrderLost || question.payment.ownership != .purchased else { return .held(.orderLost) }
    return bySubscription(question) ?? byToken(question)
  }

  /// Whether a payment could pay an order (a *candidate*). The order is unpaid and has the same app, store,
  /// environment, product and quantity, and the purchase is in its window.
  package static func isCandidate(_ order: Order, for question: MatchQuestion) -> Bool {
    order.state.isUnpaid && fits(order, question)
  }

  /// Whether it is a candidate apart from its state.
  package static func fits(_ order: Order, _ question: MatchQuestion) -> Bool {
    isSamePurchase(order, question) && isInWindow(order, question.payment.purchaseDate)
  }

  /// Whether the payment bought what the order is for.
  static func isSamePurchase(_ order: Order, _ question: MatchQuestion) -> Bool {
    let payment = question.payment
    return order.key.appEnvironment == payment.key.appEnvironment && order.store == payment.key.store
      && order.quantity == payment.quantity
      && (order.product.id == question.product?.id
        || order.product.appStoreProducts.contains(payment.storeProduct))
  }

  /// Whether a purchase date is in the time in which an order can be paid.
  static func isInWindow(_ order: Order, _ purchaseDate: Timestamp) -> Bool {
    purchaseDate >= order.createdAt - clockAllowance
      && purchaseDate <= order.createdAt + orderLifetime
  }

  /// Why a genuine payment cannot be granted to any owner.
  private static func unsellable(_ question: MatchQuestion) -> HoldReason? {
    let payment = question.payment
    guard payment.key.environment != .undetermined else { return .environmentUnknown }
    guard let product = question.product else { return .productUnknown }
    guard product.kind == payment.kind else { return .productKindDiffers }
    guard product.quantityAllowed.contains(payment.quantity) else { return .quantityOutOfRange }
    switch payment.ownership {
    case .purchased, .familyShared: return nil
    case .assigned, .unknown: return .ownershipUnknown
    }
  }

  // MARK: (1) exact

  private static func byToken(_ question: MatchQuestion) -> MatchDecision? {
    guard let named = question.named, question.payment.ownership == .purchased else { return nil }
    guard named.frozenBecause == nil else { return .held(.orderFrozen) }
    guard isSamePurchase(named, question) else {
      return derived(from: named, .boughtSomethingElse)
    }
    guard isInWindow(named, question.payment.purchaseDate) else {
      return derived(from: named, .outsideOrderWindow)
    }
    switch named.state {
    case .awaitingPayment:
      return .grant(to: named.user, .order(named.key.id), rule: .exact, flags: [])
    case .closed:
      return .grant(to: named.user, .order(named.key.id), rule: .exact, flags: [.late])
    case .paid(let payment, _):
      guard payment != question.payment.key else {
        return .grant(to: named.user, .order(named.key.id), rule: .exact, flags: [])
      }
      return derived(from: named, .paidTwice)
    }
  }

  private static func derived(from named: Order, _ flag: MatchFlag) -> MatchDecision {
    .grant(
      to: named.user, .derivedOrder(from: named.key.id), rule: .exact, flags: [flag])
  }
}
