/// The bounds that every store keeps.
public enum StoreLimit {
  /// How often a closure is run for one transaction before it is given up as `contended`: two transactions that want
  /// the same row need two runs; more than this is a closure that can never succeed.
  public static let runsPerTransaction = 8
  /// Orders of one user that a question answers: a user has at most 20 open ones, closed ones are cut by a time range.
  public static let ordersPerUser = 100
  /// Transactions of one subscription line: 10,000 weekly renewals are 190 years.
  public static let paymentsPerLine = 10_000
  /// Refunds of one payment: WeChat Pay takes at most 50; those that failed count here, too.
  public static let refundsPerPayment = 1_000
  /// Grants of rights of one user that a question answers.
  public static let entitlementsPerUser = 10_000
}
