import PaymentPrimitives

extension Match {
  // MARK: (0) line

  /// A transaction of a known subscription goes to the user named by our latest token at or before its purchase, else
  /// to the claimant. Arrival does not count, only dates that the store signed.
  static func bySubscription(_ question: MatchQuestion) -> MatchDecision? {
    guard question.payment.kind == .autoRenewable else { return nil }
    let subscription = question.subscription ?? SubscriptionFacts(named: [], claimant: nil)
    let payment = question.payment
    let own = ownName(question)
    let names = names(question, own, among: subscription)
    // A renewal and a purchase at the same instant still have an order: neither uses the other's token.
    let latest = names.filter { ($0.purchaseDate, $0.payment) <= (question.ownPurchaseDate, payment.key) }
      .max { ($0.purchaseDate, $0.payment) < ($1.purchaseDate, $1.payment) }
    if let transfer = subscription.transfer, isMoved(question, transfer, since: latest, among: names) {
      return .grant(to: transfer.user, .none, rule: .subscription, flags: [])
    }
    guard let latest else {
      return subscription.claimant.map { .grant(to: $0, .none, rule: .subscription, flags: []) }
    }
    guard latest.payment == payment.key else { return .grant(to: latest.user, .none, rule: .subscription, flags: []) }
    if let own { return byOwnToken(question, own, among: subscription) }
    // Its own token names a user. The first transaction is matched like any other purchase of this user; a further one
    // has no order.
    let isFurther = payment.key.transaction != payment.originalTransaction
    return isFurther ? .grant(to: latest.user, .none, rule: .subscription, flags: [.tokenNamesUser]) : nil
  }

  /// A token that names a user, by one of their orders or directly.
  private struct Name {
    let payment: PaymentKey
    let purchaseDate: Timestamp
    let user: UserIdentifier
    /// nil if it names the user directly.
    let order: OrderIdentifier?
  }

  /// All users named by tokens of the subscription, including the payment's own token.
  private static func names(
    _ question: MatchQuestion, _ own: SubscriptionFacts.NamedOrder?, among subscription: SubscriptionFacts
  ) -> [Name] {
    let payment = question.payment
    var names = subscription.users.map {
      Name(payment: $0.payment, purchaseDate: $0.purchaseDate, user: $0.user, order: nil)
    }
    names += (subscription.named + [own].compactMap(\.self)).map {
      Name(payment: $0.payment, purchaseDate: $0.purchaseDate, user: $0.user, order: $0.order)
    }
    if let user = tokenUser(question)?.user {
      names.append(Name(payment: payment.key, purchaseDate: question.ownPurchaseDate, user: user, order: nil))
    }
    return names
  }

  /// Whether a restore moved the subscription before this purchase. Renewals repeat the token of the first purchase.
  /// So only an order or user that is first named after the move takes the subscription back.
  private static func isMoved(
    _ question: MatchQuestion, _ transfer: Subscription.Transfer, since latest: Name?, among names: [Name]
  ) -> Bool {
    guard transfer.at <= question.ownPurchaseDate else { return false }
    guard let latest else { return true }
    let firstNamed = names.filter { $0.order == latest.order && $0.user == latest.user }.map(\.purchaseDate).min()
    return (firstNamed ?? latest.purchaseDate) < transfer.at
  }

  /// The order that the payment's own token names, if it counts; a family member's token does not count.
  private static func ownName(_ question: MatchQuestion) -> SubscriptionFacts.NamedOrder? {
    guard let named = question.named, question.payment.ownership == .purchased else { return nil }
    return SubscriptionFacts.NamedOrder(
      payment: question.payment.key, purchaseDate: question.ownPurchaseDate,
      order: named.key.id, user: named.user, fits: fits(named, question))
  }

  /// If several transactions of a subscription name one order, the earliest that fits pays it. The others have no
  /// order.
  private static func byOwnToken(
    _ question: MatchQuestion, _ own: SubscriptionFacts.NamedOrder, among subscription: SubscriptionFacts
  ) -> MatchDecision? {
    let rivals = subscription.named.filter { $0.order == own.order && $0.fits }
    let isEarliest = rivals.allSatisfy {
      (own.purchaseDate, own.payment) < ($0.purchaseDate, $0.payment)
    }
    let withoutOrder = MatchDecision.grant(to: own.user, .none, rule: .subscription, flags: [])
    guard isEarliest else { return withoutOrder }
    let paidBy = question.named?.state.payment
    if let paidBy, own.fits, rivals.contains(where: { $0.payment == paidBy }) {
      return .grant(to: own.user, .orderTakenFrom(paidBy, own.order), rule: .exact, flags: [])
    }
    // A further transaction of a subscription never gets a derived order; the first one is an ordinary exact match.
    let isFurther = question.payment.key.transaction != question.payment.originalTransaction
    let mayPay = own.fits && (paidBy == nil || paidBy == own.payment)
    return isFurther && !mayPay ? withoutOrder : nil
  }
}
