import PaymentPrimitives

/// Bounds of the adapters, with the reason for each.
enum AdapterLimits {
  /// A product request in production takes 3 to 4 seconds, or fails although the id is valid (1A.22): no payment waits
  /// longer for it.
  static let productFetch = TimeSpan.seconds(4)
  /// The search for the signed form of a transaction sometimes hangs; without it only the number is sent.
  static let evidenceSearch = TimeSpan.seconds(4)
  /// StoreKit 1 reports a finish in `removedTransactions`, or never (SK1-12). Shorter than the core's own limit, so
  /// that the core learns the reason.
  static let removal = TimeSpan.seconds(8)
  /// The end of a restore sometimes never comes (SK1-18). Shorter than the core's own limit, so that what came is used.
  static let restore = TimeSpan.minutes(2)
  /// How old a described product may be when it is bought: prices change with the store's country and over time.
  static let productAge = TimeSpan.hours(1)
  /// Revocations that come before there is a listener: the store does not show them again in this run.
  static let untoldMax = 100
  /// Purchases from outside the app that wait for a listener: a customer does not tap more.
  static let promotedMax = 20
  /// Maximum items of a vault that are examined; the core keeps a fraction of it.
  static let vaultItemsMax = 1000
}
