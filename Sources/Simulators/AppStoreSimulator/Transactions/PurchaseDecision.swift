import AppStoreProtocol
import PaymentPrimitives
import SimulatorCore

/// What the App Store decides about one purchase.
struct PurchaseDecision: Sendable {
  /// The result of a purchase before it is signed.
  enum Outcome: Sendable {
    case made(SimulatedPurchase.Outcome, TransactionIdentifier)
    case answerLost
    case failed
  }

  let request: SimulatedPurchaseRequest
  /// The ready-made key, which may sign offers, too.
  let testKey: SimulatedAPIKey

  /// Charges the account, or delivers an earlier payment again.
  func decide(_ decision: inout CommandContext) throws(CodedError<SimulatorErrorCode>) -> Outcome {
    let account = try decision.account(request.owner.account)
    let app = try decision.app(request.owner.bundleId)
    guard let product = decision.state.products[app.bundleId]?[request.product], product.isForSale else {
      throw CodedError(.productUnknown)
    }
    try checkQuantity(of: product)
    // Rule AS-BILL-1.
    guard account.canPay else { throw CodedError(.purchaseFailed, "The account's card cannot be charged.") }
    // Rule AS-FAULT-1.
    if decision.strikes(.failPurchases) {
      decision.event = .faultStruck
      return .failed
    }
    if let id = unfinished(product, decision.state) { return .made(.unfinishedDelivered, id) }
    if let owned = owned(product, decision.state) {
      return .made(.alreadyOwned, deliverAgain(owned, by: account, &decision))
    }
    let place = try PlaceInGroup.of(product, for: request.owner, with: request.offerIdentifier, decision)
    let offer = try OfferGate(state: decision.state, testKey: testKey, realTime: decision.realTime)
      .offer(for: request, of: product, at: place)
    if let id = PlanChange.changeRenewal(at: place, to: product, of: app, offer: offer, &decision) {
      return .made(.renewalChanged, id)
    }
    guard decision.state.transactionOrder.count < SimulatorLimits.transactionsMax else {
      throw CodedError(.full, "It has \(SimulatorLimits.transactionsMax) transactions.")
    }
    let id = charge(account, for: product, of: app, at: place, offer: offer, &decision)
    // Rule AS-FAULT-2.
    return decision.strikes(.losePurchaseAnswers) ? .answerLost : .made(.charged, id)
  }

  /// Rule AS-BUY-1.
  private func checkQuantity(of product: SimulatedProduct) throws(CodedError<SimulatorErrorCode>) {
    let most: Int
    switch product.kind {
    case .consumable, .nonRenewing: most = SimulatorLimits.quantityMax
    case .nonConsumable, .autoRenewable: most = 1
    }
    guard (1...most).contains(request.quantity) else {
      throw CodedError(.quantityNotAllowed, "\(request.quantity) pieces of \(product.id); at most \(most).")
    }
  }

  /// Rule AS-BUY-5: StoreKit 1 sells no second piece of a product while one is unfinished; it delivers the first again.
  private func unfinished(_ product: SimulatedProduct, _ state: SimulatorState) -> TransactionIdentifier? {
    guard request.interface == .storeKit1 else { return nil }
    switch product.kind {
    case .consumable, .nonRenewing: break
    case .nonConsumable, .autoRenewable: return nil
    }
    return state.unfinished[request.owner]?.first { state.transactions[$0]?.product == product.id }
  }

  /// Rule AS-BUY-4: the transaction that makes the account own a non-consumable. After any refund, also a partial one,
  /// the account no longer owns it.
  private func owned(_ product: SimulatedProduct, _ state: SimulatorState) -> SimulatedTransaction? {
    guard product.kind == .nonConsumable else { return nil }
    return (state.transactionsByOwner[request.owner] ?? []).reversed().compactMap { state.transactions[$0] }.first {
      $0.product == product.id && $0.isCharge && $0.revocation == nil
    }
  }

  private func deliverAgain(
    _ owned: SimulatedTransaction, by account: SimulatedAppleAccount, _ decision: inout CommandContext
  ) -> TransactionIdentifier {
    guard decision.state.behaviours.isOn(.newIdWhenOwned) else {
      if owned.isFinished { decision.event = .redelivered(owned.id) }
      return owned.id
    }
    let isRenamed = decision.state.behaviours.isOn(.newTokenWhenOwned)
    let further = owned.repeated(
      as: decision.nextTransactionId(owned.environment), purchaseDate: decision.second,
      token: isRenamed ? request.appAccountToken : owned.appAccountToken, in: account.storefront)
    decision.event = .transacted(further, nil, nil)
    return further.id
  }

  /// Rule AS-BUY-8: the refunded purchase that gives its original id to a new purchase of the non-consumable.
  private func boughtBefore(_ product: SimulatedProduct, _ state: SimulatorState) -> SimulatedTransaction? {
    guard product.kind == .nonConsumable, state.behaviours.isOn(.oldOriginalWhenBoughtAgain) else { return nil }
    return (state.transactionsByOwner[request.owner] ?? []).lazy.compactMap { state.transactions[$0] }.first {
      $0.product == product.id && $0.isCharge
    }
  }

  private func charge(
    _ account: SimulatedAppleAccount, for product: SimulatedProduct, of app: SimulatedApp, at place: PlaceInGroup,
    offer: SimulatedOffer?, _ decision: inout CommandContext
  ) -> TransactionIdentifier {
    let subscription = place.subscription
    let before = boughtBefore(product, decision.state)
    let id = decision.nextTransactionId(account.environment)
    let applied = offer.map { AppliedOffer(first: $0) }
    let period = decision.period(of: product, from: decision.second, account.environment, by: applied)
    // Rule AS-SUB-1: a subscription's original date is one second after its first purchase date.
    let original = period == nil ? decision.second : decision.second + .seconds(1)
    // Rule AS-FAULT-3.
    let losesToken = request.appAccountToken != nil && decision.strikes(.loseTokens)
    let (download, isNew) = decision.download(request.owner, of: app)
    let price = offer.map { StatedPrice(milliunits: $0.price, currency: product.price.currency) }
    var transaction = SimulatedTransaction(
      id: id, originalId: subscription?.id ?? before?.originalId ?? id, owner: request.owner, product: product.id,
      type: product.kind.type,
      quantity: request.quantity, price: price ?? product.price, purchaseDate: decision.second,
      originalPurchaseDate: subscription.flatMap { decision.state.transactions[$0.id]?.originalPurchaseDate }
        ?? before?.originalPurchaseDate ?? original,
      period: period, appAccountToken: losesToken ? nil : request.appAccountToken, reason: .purchase,
      environment: account.environment, storefront: account.storefront, isCharge: true)
    transaction.offer = applied
    let kind: NotificationKind =
      if period == nil { .oneTimeCharge } else if case .better = place {
        // Rule AS-OFF-3.
        offer == nil ? .didChangeRenewalPreference(.upgrade) : .other(.offerRedeemed, .upgrade)
      } else { .subscribed(isFirst: subscription == nil) }
    let notification = decision.notification(
      kind, bundleId: app.bundleId, environment: account.environment, transaction: id)
    if case .better(_, let earlier) = place {
      decision.event = .upgraded(
        transaction, from: earlier.id, PlanChange.upgrade(from: earlier, to: id, at: decision.second), notification)
    } else {
      decision.event = .transacted(transaction, isNew ? download : nil, notification)
    }
    decision.claimIfSentBeforeAnswer(notification, app)
    return id
  }
}

extension SimulatedTransaction {
  /// A duplicate: another transaction id of one purchase. It has no charge, and only the device gets it.
  func repeated(
    as id: TransactionIdentifier, purchaseDate: Timestamp, token: AppStoreUUID?, in storefront: Storefront
  ) -> SimulatedTransaction {
    var further = SimulatedTransaction(
      id: id, originalId: originalId,
      owner: owner, product: product, type: type, quantity: quantity, price: price,
      purchaseDate: purchaseDate, originalPurchaseDate: originalPurchaseDate, period: period,
      appAccountToken: token, reason: reason, environment: environment, storefront: storefront,
      isCharge: false)
    further.repeats = self.id
    further.offer = offer
    return further
  }
}
