import AppStoreProtocol
import PaymentPrimitives
import SimulatorCore

extension SimulatorState {
  /// The payload of a transaction (rules AS-SIGN-1, AS-SIGN-2) in its current state.
  func payload(
    of transaction: SimulatedTransaction, signedAt moment: Timestamp
  ) throws(Inconsistency) -> JWSTransactionDecodedPayload {
    guard let download = downloads[transaction.owner] else {
      throw Inconsistency("The account \(transaction.owner.account) never got \(transaction.owner.bundleId).")
    }
    var payload = JWSTransactionDecodedPayload()
    payload.transactionId = transaction.id.text
    payload.originalTransactionId = transaction.originalId.text
    payload.bundleId = transaction.owner.bundleId
    payload.productId = transaction.product.text
    payload.purchaseDate = transaction.purchaseDate
    payload.originalPurchaseDate = transaction.originalPurchaseDate
    payload.quantity = Int64(transaction.quantity)
    payload.type = .known(transaction.type)
    payload.appAccountToken = transaction.appAccountToken?.text
    payload.inAppOwnershipType = .known(transaction.isFamilyShared ? .familyShared : .purchased)
    payload.signedDate = moment
    payload.environment = .known(transaction.environment.word)
    payload.transactionReason = .known(transaction.reason)
    payload.storefront = transaction.storefront.country
    payload.storefrontId = transaction.storefront.identifier
    payload.price = transaction.price.milliunits
    payload.currency = transaction.price.currency
    payload.appTransactionId = download.appTransactionId
    if let period = transaction.period {
      payload.webOrderLineItemId = period.webOrderLineItemId
      payload.subscriptionGroupIdentifier = period.group
      payload.expiresDate = period.expiresDate
    }
    // Rule AS-SUB-7: absent unless true.
    if (transaction.repeats.flatMap { transactions[$0] } ?? transaction).upgrade != nil { payload.isUpgraded = true }
    if let revocation = revocation(of: transaction) {
      payload.revocationDate = revocation.date
      payload.revocationReason = .known(revocation.reason)
      payload.revocationType = .known(
        revocation.isFamily ? .familyRevoke : revocation.isWhole ? .refundFull : .refundProrated)
      payload.revocationPercentage = revocation.isFamily ? nil : revocation.percentage
    }
    if let offer = transaction.offer?.offer {
      payload.offerType = .known(offer.kind)
      payload.offerIdentifier = offer.identifier
      payload.offerDiscountType = .known(offer.payment)
      payload.offerPeriod = offer.period.rawValue
    }
    return payload
  }

  /// The revocation of a transaction. A duplicate of a one-time payment has the revocation of the first (rule
  /// AS-REF-3).
  func revocation(of transaction: SimulatedTransaction) -> SimulatedRevocation? {
    transaction.isCharge
      ? transaction.revocation : transactions[transaction.repeats ?? transaction.originalId]?.revocation
  }

  /// The payload of a subscription's renewal info (rule AS-SUB-6).
  func renewalPayload(
    of subscription: SimulatedSubscription, signedAt moment: Timestamp
  ) throws(Inconsistency) -> JWSRenewalInfoDecodedPayload {
    guard let latest = transactions[subscription.latest], let period = latest.period,
      let download = downloads[subscription.owner]
    else { throw Inconsistency("The subscription \(subscription.id) has no period.") }
    let standing = subscription.standing
    let isOff = !subscription.autoRenews || standing.end == .customerDidNotConsentToPriceIncrease
    var payload = JWSRenewalInfoDecodedPayload()
    payload.originalTransactionId = subscription.id.text
    payload.autoRenewProductId = (subscription.next ?? latest.product).text
    payload.productId = latest.product.text
    payload.autoRenewStatus = .known(isOff ? .off : .on)
    if !isOff {
      let renewal = renewalCharge(of: subscription, latest)
      payload.renewalPrice = renewal.price.milliunits
      payload.currency = renewal.price.currency
      if let offer = renewal.offer?.offer {
        payload.offerType = .known(offer.kind)
        payload.offerIdentifier = offer.identifier
        payload.offerDiscountType = .known(offer.payment)
        payload.offerPeriod = offer.period.rawValue
      }
    }
    payload.signedDate = moment
    payload.environment = .known(latest.environment.word)
    payload.recentSubscriptionStartDate = subscription.recentStart
    payload.renewalDate = period.expiresDate
    payload.appAccountToken = latest.appAccountToken?.text
    payload.appTransactionId = download.appTransactionId
    payload.priceIncreaseStatus = standing.raise.map {
      .known($0.isAccepted ? .customerConsentedOrWasNotifiedWithoutNeedingConsent : .customerHasNotResponded)
    }
    if standing.end != nil {
      let offers = products[subscription.owner.bundleId]?[latest.product]?.offers ?? []
      let eligible = offers.filter { $0.kind == .winBackOffer }.compactMap(\.identifier)
      payload.eligibleWinBackOfferIds = eligible.isEmpty ? nil : eligible
    }
    if period.expiresDate <= moment {
      payload.expirationIntent = .known(standing.end ?? (subscription.autoRenews ? .billingError : .customerCancelled))
      payload.isInBillingRetryPeriod = isRetried(subscription, latest, period: period, at: moment)
      payload.gracePeriodExpiresDate = standing.end == nil ? standing.failure?.graceUntil : nil
    }
    return payload
  }

  /// The price of the next renewal, and its offer (rules AS-OFF-2, AS-OFF-3, AS-RAISE-1, AS-RAISE-2).
  func renewalCharge(
    of subscription: SimulatedSubscription, _ latest: SimulatedTransaction
  ) -> (price: StatedPrice, offer: AppliedOffer?) {
    let next = subscription.next ?? latest.product
    let usual = products[subscription.owner.bundleId]?[next]?.price ?? latest.price
    let price = { (milliunits: Int64) in StatedPrice(milliunits: milliunits, currency: usual.currency) }
    if let offer = subscription.standing.offer { return (price(offer.price), AppliedOffer(first: offer)) }
    guard next == latest.product else { return (usual, nil) }
    if let applied = latest.offer, applied.renewalsLeft > 0 {
      return (latest.price, AppliedOffer(offer: applied.offer, renewalsLeft: applied.renewalsLeft - 1))
    }
    if let raise = subscription.standing.raise { return (price(raise.price), nil) }
    return (subscription.standing.price.map(price) ?? usual, nil)
  }

  /// Whether the App Store still tries to charge a period that has ended.
  private func isRetried(
    _ subscription: SimulatedSubscription, _ latest: SimulatedTransaction, period: SimulatedTransaction.Period,
    at moment: Timestamp
  ) -> Bool {
    subscription.autoRenews && subscription.standing.end == nil && latest.revocation?.isWhole != true
      && moment < period.expiresDate + days(60, latest.environment)
  }

  /// The status of a subscription, as in notifications (rule AS-SUB-6).
  func status(of subscription: SimulatedSubscription, at moment: Timestamp) throws(Inconsistency) -> Status {
    guard let latest = transactions[subscription.latest], let period = latest.period else {
      throw Inconsistency("The subscription \(subscription.id) has no period.")
    }
    if latest.revocation?.isWhole == true { return .revoked }
    if moment < period.expiresDate { return .active }
    guard isRetried(subscription, latest, period: period, at: moment) else { return .expired }
    // Rule AS-BILL-2.
    let grace = subscription.standing.failure?.isGraceOver == false ? subscription.standing.failure?.graceUntil : nil
    return grace.map { moment < $0 } == true ? .billingGracePeriod : .billingRetry
  }

  /// The app transaction of an account's app (rule AS-SIGN-4); nil before the download.
  func appTransaction(of owner: AppOwner, at moment: Timestamp) -> AppTransaction? {
    guard let app = apps[owner.bundleId], let account = accounts[owner.account], let download = downloads[owner] else {
      return nil
    }
    var payload = AppTransaction()
    payload.receiptType = .known(account.environment.word)
    payload.appAppleId = account.environment == .production ? app.appAppleId : 0
    payload.bundleId = app.bundleId
    payload.applicationVersion = app.version
    if account.environment == .production {
      payload.versionExternalIdentifier = ListedNumbers.version(app.build, of: app.bundleId)
    }
    payload.receiptCreationDate = moment
    payload.originalPurchaseDate = download.originalPurchaseDate
    payload.originalApplicationVersion = download.originalVersion
    payload.appTransactionId = download.appTransactionId
    payload.originalPlatform = .known(.iOS)
    return payload
  }

  /// A notification with the state at the time of its event.
  func notification(
    _ facts: SimulatedNotification.Facts, isLost: Bool
  ) throws(Inconsistency) -> SimulatedNotification {
    guard let app = apps[facts.bundleId] else { throw Inconsistency("There is no app \(facts.bundleId).") }
    var payload: JWSTransactionDecodedPayload?
    var renewalInfo: JWSRenewalInfoDecodedPayload?
    var status: Status?
    if let id = facts.transaction {
      guard let transaction = transactions[id] else { throw Inconsistency("There is no transaction \(id).") }
      payload = try self.payload(of: transaction, signedAt: facts.signedDate)
      if let subscription = subscriptions[transaction.originalId] {
        renewalInfo = try renewalPayload(of: subscription, signedAt: facts.signedDate)
        status = try self.status(of: subscription, at: facts.signedDate)
      }
    }
    var appTransaction: AppTransaction?
    if case .consent(let owner) = facts.content {
      appTransaction = self.appTransaction(of: owner, at: facts.signedDate)
    }
    let isSent = app.notificationURL != nil && !behaviours.isOn(.notifyNever)
    // Rules AS-NOTE-6, AS-NOTE-13.
    let ofRefunds = facts.type == .refund ? behaviours[.refundDelayMilliseconds] : 0
    let delay = TimeSpan.milliseconds(behaviours[.notificationDelayMilliseconds] + ofRefunds)
    return SimulatedNotification(
      facts: facts, appAppleId: facts.environment == .production ? app.appAppleId : nil,
      bundleVersion: payload == nil ? nil : app.build, transaction: payload, renewalInfo: renewalInfo, status: status,
      appTransaction: appTransaction, isLost: isLost,
      state: isSent ? .waiting(until: facts.signedDate + delay) : .neverSent)
  }
}
