import PaymentModel
import PaymentStore
import PaymentVocabulary

/// Gathers what the match rule looks at, within the fulfilling transaction.
struct FulfilmentFacts {
  let transaction: any StoreTransaction
  let context: FulfilmentContext
  let payment: Payment
  let news: PaymentNews
  let product: Product?

  init(
    _ transaction: any StoreTransaction, _ context: FulfilmentContext, _ payment: Payment, _ news: PaymentNews
  ) throws {
    self.transaction = transaction
    self.context = context
    self.payment = payment
    self.news = news
    switch payment.key.store {
    case .appStore: product = context.app.catalog.product(for: payment.facts.storeProduct)
    case .weChatPay:
      // What WeChat Pay was paid for, only the order says.
      product = try payment.facts.token.flatMap {
        try transaction.order(OrderKey(realm: payment.key.realm, id: $0))?.product
      }
    }
  }

  private var realm: Realm { payment.key.realm }

  func decide() throws -> MatchDecision { Match.decide(try question()) }

  func question() throws -> MatchQuestion {
    var question = MatchQuestion(payment: payment.facts, product: product)
    question.named = try payment.facts.token.flatMap { try order($0) }
    if let charge = news.charge {
      let promised = try charge.order.flatMap {
        try transaction.weChatPayOrder(OrderKey(realm: realm, id: $0))
      }
      question.chargeDifferences = promised.map { charge.differences(from: $0.expectedCharge) } ?? [.order]
    }
    question.line = try line(question)
    question.isHeldByClient = news.isHeldByClient
    question.isTokenUnseen = news.isTokenUnseen
    question.isUnknownToStore = news.isUnknownToApple
    if let deliverFrom = context.app.deliverFrom {
      question.cutOver = CutOver(
        deliverFrom: deliverFrom, earlier: try transaction.earlierDelivery(of: payment.key))
    }
    if let claim = news.claim { question.presentation = try presentation(claim, question) }
    return question
  }

  /// The order that a decision speaks of.
  func order(for decision: MatchDecision?) throws -> Order? {
    let pairing: MatchDecision.Pairing
    switch decision {
    case .grant(_, let decided, _, _), .imported(_, let decided, _, _): pairing = decided
    case .held, .unclaimed, nil: return nil
    }
    switch pairing {
    case .order(let id), .orderTakenFrom(_, let id): return try order(id)
    case .derivedOrder(let from): return try from.flatMap { try order($0) }
    case .none: return nil
    }
  }

  /// An order of the payment's realm. A payment of another environment than the app's home pays the *twin* of the order
  /// that it names: same id, made now; the order itself stays as it is.
  private func order(_ id: OrderIdentifier) throws -> Order? {
    if let order = try transaction.order(OrderKey(realm: realm, id: id)) { return order }
    guard realm != context.app.homeRealm,
      var twin = try transaction.order(OrderKey(realm: context.app.homeRealm, id: id))
    else { return nil }
    twin.key = OrderKey(realm: realm, id: id)
    twin.state = .awaitingPayment
    twin.idempotency = nil
    twin.lastVerdict = nil
    twin.frozenBecause = nil
    twin.approvalPendingSince = nil
    return twin
  }

  /// An order that a device names: by its id also another user's, by the app's own number only one of the user. Numbers
  /// can be guessed, ids cannot.
  private func order(named name: OrderName, of user: UserIdentifier) throws -> Order? {
    if let id = name.identifier, let order = try order(id) { return order }
    guard let text = name.referenceText else { return nil }
    let named = try PaymentEngine.find(.reference(text), in: context.app.homeRealm, of: user, transaction)
    return try named.flatMap { try order($0.key.id) }
  }

  // MARK: the line

  private func line(_ question: MatchQuestion) throws -> LineFacts? {
    guard payment.facts.kind == .autoRenewable else { return nil }
    let key = PaymentKey(
      app: payment.key.app, store: payment.key.store, environment: payment.key.environment,
      transaction: payment.facts.originalTransaction)
    var named: [LineFacts.NamedOrder] = []
    for other in try transaction.payments(ofOriginal: key)
    where other.key != payment.key && other.facts.ownership == .purchased {
      guard let token = other.facts.token, let order = try order(token) else { continue }
      let asked = MatchQuestion(
        payment: other.facts, product: context.app.catalog.product(for: other.facts.storeProduct))
      named.append(
        LineFacts.NamedOrder(
          payment: other.key, purchaseDate: other.facts.purchaseDate, order: order.key.id,
          user: order.user, fits: Match.fits(order, asked)))
    }
    return LineFacts(named: named, claimant: try transaction.line(key)?.claimant)
  }

  // MARK: the presenter

  private func presentation(
    _ claim: PaymentNews.Claim, _ question: MatchQuestion
  ) throws -> Presentation {
    var presentation = Presentation(user: claim.user, proof: claim.proof, policy: context.app.claims)
    let presented = try claim.orders.compactMap { try order(named: $0, of: claim.user) }
    presentation.presented = Dictionary(presented.map { ($0.key.id, $0) }) { first, _ in first }
      .sorted { $0.key < $1.key }.map(\.value)
    presentation.sameRun = try claim.sameRun.flatMap { try order(named: $0, of: claim.user)?.key.id }
    let facts = payment.facts
    if let product {
      let window = (facts.purchaseDate - Match.orderLifetime)...(facts.purchaseDate + Match.clockAllowance)
      presentation.own = try transaction.unpaidOrders(
        of: claim.user, for: product.id, at: payment.key.store, madeIn: window, in: context.app.homeRealm
      ).compactMap { realm == context.app.homeRealm ? $0 : try order($0.key.id) }
    }
    if let account = facts.appTransaction {
      presentation.usersOfAppTransaction = try transaction.users(
        ofAppTransaction: account, in: realm)
    }
    presentation.claimsToday = try transaction.claims(
      by: claim.user, since: transaction.now - .hours(24), in: realm)
    return presentation
  }
}
