/// The bounds that every store keeps.
package enum DatabaseLimits {
  /// How often a closure is run for one transaction before it is given up as `contended`: two transactions that want
  /// the same row need two runs; more than this is a closure that can never succeed.
  package static let runsPerTransaction = 8
  /// Orders of one user that a question answers: a user has at most 20 open ones, closed ones are cut by a time range.
  package static let ordersPerUser = 100
  /// Transactions of one subscription line: 10,000 weekly renewals are 190 years.
  package static let paymentsPerLine = 10_000
  /// Refunds of one payment: WeChat Pay takes at most 50; those that failed count here, too.
  package static let refundsPerPayment = 1_000
  /// Grants of rights of one user that a question answers.
  package static let entitlementsPerUser = 10_000
}
