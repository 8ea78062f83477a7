package import PaymentPrimitives

/// The limits of every database.
package enum DatabaseLimits {
  /// How often a closure runs for one transaction before the result is `contended`. Two transactions that need the
  /// same row take two runs. A closure that needs more than this never succeeds.
  package static let runsPerTransaction = 8
  /// Bound on a user's orders in one answer: a user has at most 20 open ones, and a time range limits closed ones.
  package static let ordersPerUser = 100
  /// Transactions of one subscription: 10,000 weekly renewals are 190 years.
  package static let paymentsPerSubscription = 10_000
  /// Refunds of one payment: WeChat Pay accepts at most 50; failed ones count here, too.
  package static let refundsPerPayment = 1_000
  /// How long after its last showing a receipt counts as shown again: a write of up to 8 MiB is not made more often.
  package static let receiptShownAgain = TimeSpan.days(1)
  /// Bound on a user's entitlement grants in one answer.
  package static let entitlementsPerUser = 10_000
}
