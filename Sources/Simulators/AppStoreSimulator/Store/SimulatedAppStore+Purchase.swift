import AppStoreProtocol
package import PaymentPrimitives

extension SimulatedAppStore {
  /// The result of a purchase before it is signed.
  private enum Purchase: Sendable {
    case made(SimulatedPurchase.Outcome, TransactionIdentifier)
    case answerLost
    case failed
  }

  /// Charges an account, or delivers an earlier payment again.
  ///
  /// - Throws: `appUnknown`, `productUnknown`, `accountUnknown`, `quantityNotAllowed`, `alreadySubscribed`,
  ///   `offerNotAllowed`, `offerSignatureInvalid`, `full`. Planned faults: `purchaseFailed` (nothing was charged) and
  ///   `answerLost` (it was charged: the device must find out).
  package func purchase(
    _ request: SimulatedPurchaseRequest
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedPurchase {
    let testKey = testAPIKey.key
    let (purchase, claimed) = try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      (try Self.decide(request, testKey, decision: &decision), decision.claimed)
    }
    // Rule AS-NOTE-8: the notification is sent before the answer.
    if let claimed { await attempt(claimed) }
    switch purchase {
    case .failed: throw CodedError(.purchaseFailed)
    case .answerLost: throw CodedError(.answerLost, "The purchase was charged.")
    case .made(let outcome, let id):
      let signed = try signedTransaction(id, for: request.deviceVerificationId)
      return SimulatedPurchase(
        outcome: outcome, transaction: signed.transaction, signedTransaction: signed.signedTransaction)
    }
  }

  private static func decide(
    _ request: SimulatedPurchaseRequest, _ testKey: SimulatedAPIKey, decision: inout CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> Purchase {
    let account = try decision.account(request.owner.account)
    let app = try decision.app(request.owner.bundleId)
    guard let product = decision.state.products[app.bundleId]?[request.product], product.isForSale else {
      throw CodedError(.productUnknown)
    }
    try check(request.quantity, of: product)
    // Rule AS-BILL-1.
    guard account.canPay else { throw CodedError(.purchaseFailed, "The account's card cannot be charged.") }
    // Rule AS-FAULT-1.
    if decision.strikes(.failPurchases) {
      decision.event = .faultStruck
      return .failed
    }
    if let id = unfinished(request, product, state: decision.state) { return .made(.unfinishedDelivered, id) }
    if let owned = owned(request.owner, product, state: decision.state) {
      return .made(.alreadyOwned, deliverAgain(owned, request, account: account, decision: &decision))
    }
    let place = try place(of: product, for: request.owner, with: request.offerIdentifier, decision)
    let offer = try decision.offer(for: request, product, place, testKey: testKey)
    if let id = changeRenewal(place, product, app: app, offer: offer, decision: &decision) {
      return .made(.renewalChanged, id)
    }
    guard decision.state.transactionOrder.count < SimulatorLimits.transactionsMax else {
      throw CodedError(.full, "It has \(SimulatorLimits.transactionsMax) transactions.")
    }
    let id = charge(request, account, app: app, product: product, place: place, offer: offer, decision: &decision)
    // Rule AS-FAULT-2.
    return decision.strikes(.losePurchaseAnswers) ? .answerLost : .made(.charged, id)
  }

  /// Rule AS-BUY-1.
  private static func check(
    _ quantity: Int, of product: SimulatedProduct
  ) throws(CodedError<SimulatorErrorCode>) {
    let most: Int
    switch product.kind {
    case .consumable, .nonRenewing: most = SimulatorLimits.quantityMax
    case .nonConsumable, .autoRenewable: most = 1
    }
    guard (1...most).contains(quantity) else {
      throw CodedError(.quantityNotAllowed, "\(quantity) pieces of \(product.id); at most \(most).")
    }
  }

  /// Rule AS-BUY-5: StoreKit 1 sells no second piece of a product while one is unfinished; it delivers the first again.
  private static func unfinished(
    _ request: SimulatedPurchaseRequest, _ product: SimulatedProduct, state: SimulatorState
  ) -> TransactionIdentifier? {
    guard request.interface == .storeKit1 else { return nil }
    switch product.kind {
    case .consumable, .nonRenewing: break
    case .nonConsumable, .autoRenewable: return nil
    }
    return state.unfinished[request.owner]?.first { state.transactions[$0]?.product == product.id }
  }

  /// Rule AS-BUY-4: the transaction that makes the account own a non-consumable. After any refund, also a partial one,
  /// the account no longer owns it.
  private static func owned(
    _ owner: AppOwner, _ product: SimulatedProduct, state: SimulatorState
  ) -> SimulatedTransaction? {
    guard product.kind == .nonConsumable else { return nil }
    return (state.transactionsByOwner[owner] ?? []).reversed().compactMap { state.transactions[$0] }.first {
      $0.product == product.id && $0.isCharge && $0.revocation == nil
    }
  }

  private static func deliverAgain(
    _ owned: SimulatedTransaction, _ request: SimulatedPurchaseRequest, account: SimulatedAppleAccount,
    decision: inout CommandContext
  ) -> TransactionIdentifier {
    guard decision.state.behaviours.isOn(.newIdWhenOwned) else {
      if owned.isFinished { decision.event = .redelivered(owned.id) }
      return owned.id
    }
    let isRenamed = decision.state.behaviours.isOn(.newTokenWhenOwned)
    let further = decision.furtherId(
      of: owned, purchaseDate: decision.second, token: isRenamed ? request.appAccountToken : owned.appAccountToken,
      account)
    decision.event = .transacted(further, nil, nil)
    return further.id
  }

  /// Rule AS-BUY-8: the refunded purchase that gives its original id to a new purchase of the non-consumable.
  private static func boughtBefore(
    _ owner: AppOwner, _ product: SimulatedProduct, state: SimulatorState
  ) -> SimulatedTransaction? {
    guard product.kind == .nonConsumable, state.behaviours.isOn(.oldOriginalWhenBoughtAgain) else { return nil }
    return (state.transactionsByOwner[owner] ?? []).lazy.compactMap { state.transactions[$0] }.first {
      $0.product == product.id && $0.isCharge
    }
  }

  private static func charge(
    _ request: SimulatedPurchaseRequest, _ account: SimulatedAppleAccount, app: SimulatedApp,
    product: SimulatedProduct, place: PlaceInGroup, offer: SimulatedOffer?, decision: inout CommandContext
  ) -> TransactionIdentifier {
    let line = place.line
    let before = boughtBefore(request.owner, product, state: decision.state)
    let id = decision.state.lastNumbers.transactionId(account.environment, step: decision.step())
    let applied = offer.map { AppliedOffer(first: $0) }
    let period = decision.period(of: product, from: decision.second, account.environment, by: applied)
    // Rule AS-SUB-1: a subscription's original date is one second after its first purchase date.
    let original = period == nil ? decision.second : decision.second + .seconds(1)
    // Rule AS-FAULT-3.
    let losesToken = request.appAccountToken != nil && decision.strikes(.loseTokens)
    let (download, isNew) = decision.download(request.owner, of: app)
    let price = offer.map { StatedPrice(milliunits: $0.price, currency: product.price.currency) }
    var transaction = SimulatedTransaction(
      id: id, originalId: line?.id ?? before?.originalId ?? id, owner: request.owner, product: product.id,
      type: product.kind.type,
      quantity: request.quantity, price: price ?? product.price, purchaseDate: decision.second,
      originalPurchaseDate: line.flatMap { decision.state.transactions[$0.id]?.originalPurchaseDate }
        ?? before?.originalPurchaseDate ?? original,
      period: period, appAccountToken: losesToken ? nil : request.appAccountToken, reason: .purchase,
      environment: account.environment, storefront: account.storefront, isCharge: true)
    transaction.offer = applied
    let kind: NotificationKind =
      if period == nil { .oneTimeCharge } else if case .better = place {
        // Rule AS-OFF-3.
        offer == nil ? .didChangeRenewalPreference(.upgrade) : .other(.offerRedeemed, .upgrade)
      } else { .subscribed(isFirst: line == nil) }
    let notification = decision.notification(
      kind, bundleId: app.bundleId, environment: account.environment, transaction: id)
    if case .better(_, let earlier) = place {
      decision.event = .upgraded(
        transaction, from: earlier.id, decision.upgrade(from: earlier, to: id), notification)
    } else {
      decision.event = .transacted(transaction, isNew ? download : nil, notification)
    }
    decision.claimIfSentBeforeAnswer(notification, app)
    return id
  }
}

extension CommandContext {
  /// A duplicate: another transaction id of one purchase. It has no charge, and only the device gets it.
  func furtherId(
    of paid: SimulatedTransaction, purchaseDate: Timestamp, token: AppStoreUUID?, _ account: SimulatedAppleAccount
  ) -> SimulatedTransaction {
    var further = SimulatedTransaction(
      id: state.lastNumbers.transactionId(paid.environment, step: step()), originalId: paid.originalId,
      owner: paid.owner, product: paid.product, type: paid.type, quantity: paid.quantity, price: paid.price,
      purchaseDate: purchaseDate, originalPurchaseDate: paid.originalPurchaseDate, period: paid.period,
      appAccountToken: token, reason: paid.reason, environment: paid.environment, storefront: account.storefront,
      isCharge: false)
    further.repeats = paid.id
    further.offer = paid.offer
    return further
  }

  /// Rule AS-NOTE-8: the command itself sends the notification, unless notifications are off or delayed.
  mutating func claimIfSentBeforeAnswer(_ notification: SimulatedNotification.Facts, _ app: SimulatedApp) {
    let behaviours = state.behaviours
    if behaviours.isOn(.notifyBeforeAnswer), !behaviours.isOn(.notifyNever),
      behaviours[.notificationDelayMilliseconds] == 0,
      app.notificationURL != nil
    {
      claimed = notification.uuid
    }
  }
}
