import AppStoreProtocol
import PaymentVocabulary

extension SimulatorState {
  /// What is signed of a transaction (rules AS-SIGN-1, AS-SIGN-2), as it stands now.
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
    // Rule AS-SUB-7: absent unless it is so.
    if transaction.upgrade != nil { payload.isUpgraded = true }
    if let revocation = revocation(of: transaction) {
      payload.revocationDate = revocation.date
      payload.revocationReason = .known(revocation.reason)
      payload.revocationType = .known(revocation.isWhole ? .refundFull : .refundProrated)
      payload.revocationPercentage = revocation.percentage
    }
    return payload
  }

  /// What was taken back of a transaction. A further id of something paid once shares the fate of the first (rule
  /// AS-REF-3).
  func revocation(of transaction: SimulatedTransaction) -> SimulatedRevocation? {
    transaction.isCharge ? transaction.revocation : transactions[transaction.originalId]?.revocation
  }

  /// What is signed of a subscription's future (rule AS-SUB-6).
  func renewalPayload(
    of line: SimulatedLine, signedAt moment: Timestamp
  ) throws(Inconsistency) -> JWSRenewalInfoDecodedPayload {
    guard let latest = transactions[line.latest], let period = latest.period,
      let download = downloads[line.owner]
    else { throw Inconsistency("The subscription \(line.id) has no period.") }
    let next = line.next ?? latest.product
    let price = products[line.owner.bundleId]?[next]?.price ?? latest.price
    var payload = JWSRenewalInfoDecodedPayload()
    payload.originalTransactionId = line.id.text
    payload.autoRenewProductId = next.text
    payload.productId = latest.product.text
    payload.autoRenewStatus = .known(line.autoRenews ? .on : .off)
    if line.autoRenews {
      payload.renewalPrice = price.milliunits
      payload.currency = price.currency
    }
    payload.signedDate = moment
    payload.environment = .known(latest.environment.word)
    payload.recentSubscriptionStartDate = line.recentStart
    payload.renewalDate = period.expiresDate
    payload.appAccountToken = latest.appAccountToken?.text
    payload.appTransactionId = download.appTransactionId
    if period.expiresDate <= moment {
      payload.expirationIntent = .known(line.autoRenews ? .billingError : .customerCancelled)
      payload.isInBillingRetryPeriod = isRetried(line, latest, period, at: moment)
    }
    return payload
  }

  /// Whether the store still tries to charge a period that has ended.
  private func isRetried(
    _ line: SimulatedLine, _ latest: SimulatedTransaction, _ period: SimulatedTransaction.Period, at moment: Timestamp
  ) -> Bool {
    line.autoRenews && latest.revocation?.isWhole != true
      && moment < period.expiresDate + SimulatorLimits.billingRetryPeriod
  }

  /// The state of a subscription, as notifications tell it (rule AS-SUB-6).
  func status(of line: SimulatedLine, at moment: Timestamp) throws(Inconsistency) -> Status {
    guard let latest = transactions[line.latest], let period = latest.period else {
      throw Inconsistency("The subscription \(line.id) has no period.")
    }
    if latest.revocation?.isWhole == true { return .revoked }
    if moment < period.expiresDate { return .active }
    return isRetried(line, latest, period, at: moment) ? .billingRetry : .expired
  }

  /// A notification as it is when its event happens.
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
      if let line = lines[transaction.originalId] {
        renewalInfo = try renewalPayload(of: line, signedAt: facts.signedDate)
        status = try self.status(of: line, at: facts.signedDate)
      }
    }
    let isSent = app.notificationURL != nil && !knobs.isOn(.notifyNever)
    let delay = TimeSpan.milliseconds(knobs[.notificationDelayMilliseconds])
    return SimulatedNotification(
      facts: facts, appAppleId: facts.environment == .production ? app.appAppleId : nil,
      bundleVersion: payload == nil ? nil : app.build, transaction: payload, renewalInfo: renewalInfo, status: status,
      isLost: isLost,
      state: isSent ? .waiting(until: facts.signedDate + delay) : .neverSent)
  }
}
