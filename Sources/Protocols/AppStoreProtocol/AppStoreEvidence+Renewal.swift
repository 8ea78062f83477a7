package import PaymentPrimitives

extension AppStoreEvidence {
  /// The future of a subscription, as a verified renewal info states it.
  ///
  /// - Throws: `AppStoreEvidenceErrorCode`; it names the field that is missing or impossible.
  package static func renewal(
    of info: VerifiedSignedData<JWSRenewalInfoDecodedPayload>, app: AppIdentifier
  ) throws(CodedError<AppStoreEvidenceErrorCode>) -> VerifiedRenewal {
    let payload = info.payload
    let original = try transactionIdentifier(payload.originalTransactionId, "originalTransactionId")
    let signedDate = try stated(payload.signedDate, "signedDate")
    let status = try stated(payload.autoRenewStatus, "autoRenewStatus")
    var renewal = VerifiedRenewal(
      subscription: PaymentKey(app: app, store: .appStore, environment: info.environment, transaction: original),
      signedDate: signedDate, willRenew: status == .known(.on))
    if let product = payload.autoRenewProductId {
      guard (1...255).contains(product.utf8.count) else { throw absurd("autoRenewProductId", "its length") }
      renewal.renewsTo = StoreProductIdentifier(product)
    }
    renewal.expiration = payload.expirationIntent.map(expiration)
    renewal.isInBillingRetry = payload.isInBillingRetryPeriod ?? false
    renewal.gracePeriodExpiresDate = payload.gracePeriodExpiresDate
    renewal.renewalDate = payload.renewalDate
    renewal.priceIncrease = payload.priceIncreaseStatus.flatMap(priceIncrease)
    if let price = payload.renewalPrice, let currency = payload.currency {
      renewal.renewalPrice = StatedPrice(milliunits: price, currency: currency)
    }
    return renewal
  }

  private static func expiration(_ intent: KnownOrRaw<ExpirationIntent>) -> VerifiedRenewal.Expiration {
    switch intent {
    case .known(.customerCancelled): .cancelled
    case .known(.billingError): .billingError
    case .known(.customerDidNotConsentToPriceIncrease): .priceIncrease
    case .known(.productNotAvailable): .productUnavailable
    case .known(.other), .raw: .other
    }
  }

  private static func priceIncrease(_ status: KnownOrRaw<PriceIncreaseStatus>) -> VerifiedRenewal.PriceIncrease? {
    switch status {
    case .known(.customerHasNotResponded): .pending
    case .known(.customerConsentedOrWasNotifiedWithoutNeedingConsent): .accepted
    case .raw: nil
    }
  }
}
