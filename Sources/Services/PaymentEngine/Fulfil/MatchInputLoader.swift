import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Collects the input of the match rule, within the fulfilment transaction.
struct MatchInputLoader {
  let transaction: any DatabaseTransaction
  let context: FulfilmentContext
  let payment: Payment
  let update: PaymentUpdate
  let sold: SoldProduct
  /// The purchase time, if `payment` has the dates of another id of the purchase.
  var boughtAt: Timestamp?

  init(
    _ transaction: any DatabaseTransaction, _ context: FulfilmentContext, payment: Payment, update: PaymentUpdate
  ) throws {
    self.transaction = transaction
    self.context = context
    self.payment = payment
    self.update = update
    sold = try SoldProduct(of: payment.facts, paying: payment.order, transaction, context)
  }

  var appEnvironment: AppEnvironment { payment.key.appEnvironment }

  /// The product of the payment; nil if no known source names it.
  var product: Product? { sold.product }

  /// The decision about the payment; nil if nothing is to be decided.
  func decide() throws -> MatchDecision? {
    sold.deciding(try decideUser())
  }

  private func decideUser() throws -> MatchDecision? {
    switch PendingDecision(payment, after: update, isObserving: context.app.isObserving) {
    case .match: return Match.decide(try question())
    case .matchAfterReversedRefund:
      // A merge moves what was granted. Who would have got this one may be another user by now.
      var owed = payment
      owed.owner = try payment.owner.map { try transaction.present($0, in: appEnvironment) }
      return Match.decide(try question()).afterReversedRefund(of: owed)
    case .stillOwed(let former):
      let owner = try transaction.present(former, in: appEnvironment)
      return try transaction.grant(payment.key) == nil ? Match.stillOwed(payment, to: owner, try earlier()) : nil
    case nil: return nil
    }
  }

  // MARK: the earlier system

  /// The entry in the earlier system's list. The list does not cover purchases after it was made.
  private func earlier() throws -> CutOver.Earlier {
    let earlier = try transaction.earlierDelivery(of: payment.key)
    guard earlier == .notDelivered else { return earlier }
    let reach = try transaction.earlierListReach(at: payment.key.store, in: appEnvironment)
    return reach.map { (boughtAt ?? payment.facts.purchaseDate) < $0 } == true ? .notDelivered : .notLoaded
  }

  /// The owner in the earlier system's records, if they agree with the product that the store signed.
  private func importedOwner() throws -> UserIdentifier? {
    let facts = payment.facts
    var key = payment.key
    switch facts.kind {
    // The first transaction identifies a subscription and a permanent entitlement: all transactions have one owner.
    case .autoRenewable, .nonConsumable:
      key = PaymentKey(
        app: key.app, store: key.store, environment: key.environment, transaction: facts.originalTransaction)
    case .consumable, .nonRenewing: break
    }
    guard let named = try transaction.importedOwner(key) else { return nil }
    let isSameProduct = named.product.map { $0 == facts.storeProduct } ?? true
    guard isSameProduct || facts.kind == .autoRenewable else { return nil }
    return try transaction.present(named.user, in: appEnvironment)
  }

  func question() throws -> MatchQuestion {
    var question = MatchQuestion(payment: payment.facts, product: product)
    question.boughtAt = boughtAt
    question.named = try payment.facts.token.flatMap { try order($0) }
    if let charge = update.charge {
      let promised = try charge.order.flatMap {
        try transaction.weChatPayOrder(OrderKey(appEnvironment: appEnvironment, id: $0))
      }
      question.chargeDifferences = promised.map { charge.differences(from: $0.expectedCharge) } ?? [.order]
    }
    question.tokenUser = try question.named == nil ? tokenUser(of: payment.facts, forProduct: product) : nil
    question.isOrderLost = try isOrderLost(question)
    question.subscription = try subscription(question)
    // A transaction that a client once held unfinished stays owed, whatever the source of the next update.
    question.isHeldByClient = update.isHeldByClient || payment.state == .held(.boughtBeforeCutOver)
    question.isTokenUnseen = update.isTokenUnseen
    question.isUnknownToStore = update.isUnknownToStore
    question.isObserving = context.app.isObserving
    question.wasImported = payment.state == .imported
    // A purchase after the cut-over does not use the earlier system's records.
    let isBefore = context.app.deliverFrom.map { (boughtAt ?? payment.facts.purchaseDate) < $0 } ?? false
    let isEarlier = context.app.isObserving || question.wasImported || isBefore
    if isEarlier {
      question.cutOver = CutOver(deliverFrom: context.app.deliverFrom ?? transaction.now, earlier: try earlier())
    }
    if question.named == nil, isEarlier || payment.facts.kind == .autoRenewable {
      question.importedOwner = try importedOwner()
    }
    if let claim = update.claim, Match.asksForPresentation(question) {
      question.presentation = try presentation(claim, question)
    }
    return question
  }

  /// The order that a decision refers to.
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

  /// An order in the payment's app environment. A payment of another environment than the app's home pays the
  /// *counterpart* of the order that it names. The counterpart has the same id and is created now; the order itself
  /// stays unchanged.
  func order(_ id: OrderIdentifier) throws -> Order? {
    if let order = try transaction.order(OrderKey(appEnvironment: appEnvironment, id: id)) { return order }
    guard appEnvironment != context.app.homeEnvironment,
      var counterpart = try transaction.order(OrderKey(appEnvironment: context.app.homeEnvironment, id: id))
    else { return nil }
    counterpart.key = OrderKey(appEnvironment: appEnvironment, id: id)
    counterpart.state = .awaitingPayment
    counterpart.idempotency = nil
    counterpart.lastVerdict = nil
    counterpart.frozenBecause = nil
    counterpart.approvalPendingSince = nil
    return counterpart
  }

  /// An order that a device names. By its id it may be another user's; by the app's own number only one of the user.
  /// Numbers can be guessed, ids cannot.
  private func order(named name: OrderName, of user: UserIdentifier) throws -> Order? {
    if let id = name.identifier, let order = try order(id) { return order }
    guard let text = name.referenceText else { return nil }
    let named = try PaymentEngine.find(.reference(text), in: context.app.homeEnvironment, of: user, transaction)
    return try named.flatMap { try order($0.key.id) }
  }

  // MARK: the subscription

  private func subscription(_ question: MatchQuestion) throws -> SubscriptionFacts? {
    guard payment.facts.kind == .autoRenewable else { return nil }
    let key = payment.facts.originalKey
    var (named, users): ([SubscriptionFacts.NamedOrder], [SubscriptionFacts.NamedUser]) = ([], [])
    // Most transactions of a subscription carry the same token.
    var namedUsers: [OrderIdentifier: UserIdentifier?] = [:]
    let duplicates = Dictionary(grouping: try transaction.duplicates(ofOriginal: key), by: \.of)
    let repeated = Set(duplicates.values.flatMap { $0.map(\.key) })
    for other in try transaction.payments(ofOriginal: key)
    where other.key != payment.key && other.facts.ownership == .purchased && !repeated.contains(other.key) {
      // If its own id names no user, a duplicate's does.
      let naming = other.facts.token == nil ? Self.named(among: duplicates[other.key] ?? []) : nil
      guard let token = other.facts.token ?? naming?.token else { continue }
      guard let order = try order(token) else {
        if namedUsers[token] == nil {
          namedUsers[token] = .some(try tokenUser(of: naming ?? other.facts, forProduct: nil)?.user)
        }
        // The owner of a granted payment is the user of its lost order.
        let lostUser = try other.state.wasGranted && isLost(token) ? other.owner : nil
        if let user = (namedUsers[token] ?? nil) ?? lostUser {
          users.append(.init(payment: other.key, purchaseDate: other.facts.purchaseDate, user: user))
        }
        continue
      }
      let asked = MatchQuestion(
        payment: naming ?? other.facts,
        product: other.facts.storeProduct == payment.facts.storeProduct
          ? product : context.app.catalog.product(for: other.facts.storeProduct))
      named.append(
        SubscriptionFacts.NamedOrder(
          payment: other.key, purchaseDate: other.facts.purchaseDate, order: order.key.id,
          user: order.user, fits: Match.fits(order, asked)))
    }
    let subscription = try transaction.subscription(key)
    var facts = SubscriptionFacts(named: named, users: users, claimant: subscription?.claimant)
    facts.transfer = subscription?.transfer
    return facts
  }

  /// The facts of the earliest duplicate of a payment that carries a token.
  private static func named(among duplicates: [DuplicateTransaction]) -> VerifiedPayment? {
    duplicates.compactMap(\.facts).filter { $0.token != nil }
      .min { ($0.purchaseDate, $0.key) < ($1.purchaseDate, $1.key) }
  }

  // MARK: the presenter

  /// A user's own unpaid orders that the payment could pay by product and time.
  func unpaidOrders(of user: UserIdentifier, forProduct product: Product?) throws -> [Order] {
    guard let product else { return [] }
    let purchase = payment.facts.purchaseDate
    let window = (purchase - Match.orderLifetime)...(purchase + Match.clockAllowance)
    return try transaction.unpaidOrders(
      of: user, for: product.id, at: payment.key.store, madeIn: window, in: context.app.homeEnvironment
    ).compactMap { appEnvironment == context.app.homeEnvironment ? $0 : try order($0.key.id) }
  }

  /// The claims that were presented while orders of several users matched. A device deletes the record of an expired
  /// order, or is set up anew. So one remaining record names no user; only the payment of the other orders does.
  private func earlierClaims() throws -> [OwnershipClaim] {
    guard payment.state == .held(.ownerAmbiguous) else { return [] }
    return try transaction.presentKeptClaims(of: payment.key)
  }

  private func presentation(
    _ claim: OwnershipClaim, _ question: MatchQuestion
  ) throws -> Presentation {
    var presentation = Presentation(user: claim.user, proof: claim.proof, policy: context.app.claims)
    let presented = try ([claim] + earlierClaims()).flatMap { claim in
      try claim.orders.compactMap { try order(named: $0, of: claim.user) }
    }
    presentation.presented = Dictionary(presented.map { ($0.key.id, $0) }) { first, _ in first }
      .sorted { $0.key < $1.key }.map(\.value)
    presentation.sameRun = try claim.sameRun.flatMap { try order(named: $0, of: claim.user)?.key.id }
    presentation.own = try unpaidOrders(of: claim.user, forProduct: product)
    if let account = payment.facts.appTransaction {
      presentation.usersOfAppTransaction = Set(
        try transaction.users(ofAppTransaction: account, in: appEnvironment).map {
          try transaction.present($0, in: appEnvironment)
        })
    }
    presentation.claimsToday = try transaction.claims(
      by: claim.user, since: transaction.now - .hours(24), in: appEnvironment)
    return presentation
  }
}
