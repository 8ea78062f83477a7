import AppStoreProtocol
import PaymentPrimitives

/// What a purchase changes of a subscription that the account has already.
enum PlanChange {
  /// Changes the renewal product of a subscription, if the purchase does only that. Nothing is charged.
  ///
  /// - Returns: the current transaction; nil when the purchase needs a charge.
  static func changeRenewal(
    at place: PlaceInGroup, to product: SimulatedProduct, of app: SimulatedApp, offer: SimulatedOffer?,
    _ decision: inout CommandContext
  ) -> TransactionIdentifier? {
    let (subscription, latest, next): (SimulatedSubscription, SimulatedTransaction, StoreProductIdentifier?)
    switch place {
    case .first, .again, .better: return nil
    case .following(let its, let transaction): (subscription, latest, next) = (its, transaction, product.id)
    case .back(let its, let transaction): (subscription, latest, next) = (its, transaction, nil)
    }
    // Choosing the same following product again changes nothing.
    guard subscription.next != next || offer != nil else { return latest.id }
    let subtype: Subtype? = next == nil ? nil : .downgrade
    let notification = decision.notification(
      offer == nil ? .didChangeRenewalPreference(subtype) : .other(.offerRedeemed, subtype), about: latest)
    decision.event = .renewalPreferenceSet(subscription.id, next, offer, notification)
    decision.claimIfSentBeforeAnswer(notification, app)
    return latest.id
  }

  /// Rule AS-SUB-7: an upgrade refunds the unused part of the paid time, to the second.
  static func upgrade(
    from earlier: SimulatedTransaction, to id: TransactionIdentifier, at second: Timestamp
  ) -> SimulatedUpgrade {
    let whole = SimulatedRevocation.wholePercentage
    let start = earlier.purchaseDate.seconds
    let end = earlier.period?.expiresDate.seconds ?? start
    let unused = min(max(0, end - second.seconds), max(0, end - start))
    let share = end > start ? whole * unused / (end - start) : 0
    return SimulatedUpgrade(by: id, refundPercentage: min(share, whole - (earlier.revocation?.percentage ?? 0)))
  }
}
