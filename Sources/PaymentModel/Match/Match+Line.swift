import PaymentVocabulary

extension Match {
  // MARK: (0) line

  /// A transaction of a known subscription line goes to the user whom the latest token of ours named at or before its
  /// purchase, else to the line's claimant. Arrival plays no part: only dates that the store signed.
  static func byLine(_ question: MatchQuestion) -> MatchDecision? {
    guard question.payment.kind == .autoRenewable else { return nil }
    let line = question.line ?? LineFacts(named: [], claimant: nil)
    let payment = question.payment
    let own = ownName(question)
    guard let latest = latestName(question, own, among: line) else {
      return line.claimant.map { .grant(to: $0, .none, rule: .line, flags: []) }
    }
    guard latest.payment == payment.key else { return .grant(to: latest.user, .none, rule: .line, flags: []) }
    if let own { return byOwnToken(question, own, among: line) }
    // Its own token names a user. The first one is matched like any other purchase of his, a further one has no order.
    let isFurther = payment.key.transaction != payment.originalTransaction
    return isFurther ? .grant(to: latest.user, .none, rule: .line, flags: [.tokenNamesUser]) : nil
  }

  /// The latest token at or before the purchase that names anybody, by his order or by himself.
  private static func latestName(
    _ question: MatchQuestion, _ own: LineFacts.NamedOrder?, among line: LineFacts
  ) -> LineFacts.NamedUser? {
    let payment = question.payment
    var names = line.users
    names += (line.named + [own].compactMap(\.self)).map {
      LineFacts.NamedUser(payment: $0.payment, purchaseDate: $0.purchaseDate, user: $0.user)
    }
    if let user = tokenUser(question)?.user {
      names.append(LineFacts.NamedUser(payment: payment.key, purchaseDate: payment.purchaseDate, user: user))
    }
    return names.filter { $0.purchaseDate <= payment.purchaseDate }
      .max { ($0.purchaseDate, $0.payment) < ($1.purchaseDate, $1.payment) }
  }

  /// The order that the payment's own token names, if it counts: a family member's token does not.
  private static func ownName(_ question: MatchQuestion) -> LineFacts.NamedOrder? {
    guard let named = question.named, question.payment.ownership == .purchased else { return nil }
    return LineFacts.NamedOrder(
      payment: question.payment.key, purchaseDate: question.payment.purchaseDate,
      order: named.key.id, user: named.user, fits: fits(named, question))
  }

  /// An order named by several transactions of a line is paid by the earliest that fits; the others have no order.
  private static func byOwnToken(
    _ question: MatchQuestion, _ own: LineFacts.NamedOrder, among line: LineFacts
  ) -> MatchDecision? {
    let rivals = line.named.filter { $0.order == own.order && $0.fits }
    let isEarliest = rivals.allSatisfy {
      (own.purchaseDate, own.payment) < ($0.purchaseDate, $0.payment)
    }
    let withoutOrder = MatchDecision.grant(to: own.user, .none, rule: .line, flags: [])
    guard isEarliest else { return withoutOrder }
    let paidBy = question.named?.state.payment
    if let paidBy, own.fits, rivals.contains(where: { $0.payment == paidBy }) {
      return .grant(to: own.user, .orderTakenFrom(paidBy, own.order), rule: .exact, flags: [])
    }
    // A further transaction of a line never gets an order made for it; the first one is an ordinary exact match.
    let isFurther = question.payment.key.transaction != question.payment.originalTransaction
    let mayPay = own.fits && (paidBy == nil || paidBy == own.payment)
    return isFurther && !mayPay ? withoutOrder : nil
  }
}
