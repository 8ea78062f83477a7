import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives

/// What only the App Store knows of a charge: its original state, and what it has reported about it. A server may have
/// set another token since.
struct AppleTruth: Sendable {
  /// The token of the sale.
  var token: String?
  /// Whether no attempt to report the charge ever left the App Store.
  var isUntold = false
  /// Whether there was no attempt at all, so that the notification history does not name it.
  var isUnwritten = false
  /// Whether it was refunded, and no attempt to report the refund ever left the App Store.
  var isRefundUntold = false
  /// Whether no attempt to report a refund or its reversal ever left the App Store.
  var isNewsUntold = false
  /// Whether it is a renewal after a failed charge.
  var isRecovery = false
  /// The total refunded share, of 100 000, after each refund.
  var stated: Set<Int64> = []
  /// The refund dates in the notifications.
  var dates: Set<Timestamp> = []
  /// Whether a refund of it was reported about a further transaction id.
  var isToldUnderFurtherId = false

  /// Collects the facts by transaction: each charge and each refund has its notification, sent or not.
  ///
  /// - Parameter paid: the paid transaction id for each further id.
  static func truths(
    of notifications: [SimulatedNotification], _ paid: [TransactionIdentifier: TransactionIdentifier]
  ) -> [TransactionIdentifier: AppleTruth] {
    var truths: [TransactionIdentifier: AppleTruth] = [:]
    for notification in notifications {
      guard let id = notification.facts.transaction.map({ paid[$0] ?? $0 }) else { continue }
      let isUntold = notification.isLost || notification.state == .neverSent
      var truth = truths[id] ?? AppleTruth()
      switch (notification.facts.type, notification.facts.subtype) {
      case (.oneTimeCharge, _), (.subscribed, _), (.didRenew, _), (.didChangeRenewalPref, .upgrade):
        truth.token = notification.transaction?.appAccountToken
        truth.isUntold = isUntold
        truth.isUnwritten = notification.state == .neverSent
        truth.isRecovery = notification.facts.subtype == .billingRecovery
      case (.refund, _):
        truth.isRefundUntold = truth.isRefundUntold || isUntold
        truth.isNewsUntold = truth.isNewsUntold || isUntold
        truth.stated.insert(notification.transaction?.revocationPercentage ?? 100_000)
        if let date = notification.transaction?.revocationDate { truth.dates.insert(date) }
        truth.isToldUnderFurtherId = truth.isToldUnderFurtherId || notification.facts.transaction != id
      case (.refundReversed, _): truth.isNewsUntold = truth.isNewsUntold || isUntold
      default: break
      }
      truths[id] = truth
    }
    return truths
  }
}
