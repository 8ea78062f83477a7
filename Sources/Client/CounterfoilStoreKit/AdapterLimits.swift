import PaymentPrimitives

/// Bounds of the adapters, with the reason for each.
enum AdapterLimits {
  /// A product request in production takes 3 to 4 seconds, or fails although the id is valid (1A.22): no payment waits
  /// longer for it.
  static let productFetch = TimeSpan.seconds(4)
  /// Looking for the signed form of a transaction was seen to hang; without it the number alone is sent.
  static let evidenceSearch = TimeSpan.seconds(4)
  /// StoreKit 1 says in `removedTransactions` that something is finished, or never (SK1-12). Less than what the core
  /// waits for it, so that it learns why.
  static let removal = TimeSpan.seconds(8)
  /// Purchases from outside the app that wait for somebody to listen: a customer does not tap more.
  static let promotedMax = 20
  /// Items of a vault that are looked at; the core keeps a fraction of it.
  static let vaultItemsMax = 1000
}
