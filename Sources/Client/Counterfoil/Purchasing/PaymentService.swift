public import PaymentPrimitives

/// What an app's own code depends on, so that its tests can hand in something else. `Purchasing` is the real one.
public protocol PaymentService: Sendable {
  /// Begins to listen and to work; doing it again does nothing.
  func start() async

  /// Tells who is signed in; nil for nobody. Orders of another user stay his.
  func setUser(_ user: UserIdentifier?) async

  /// Buys a product for the signed-in user.
  ///
  /// - Throws: `PurchasingError`; whether something was charged is never said by it.
  func purchase(
    _ product: ProductIdentifier, quantity: Int, store: Store?, details: PurchaseDetails
  ) async throws(PurchasingError) -> PurchaseOutcome

  /// Completes what is open.
  @discardableResult
  func recover(_ reason: RecoveryReason) async -> RecoveryReport

  /// Asks the store for earlier purchases, on the customer's own tap.
  ///
  /// - Throws: `PurchasingError`.
  func restorePurchases() async throws(PurchasingError) -> RecoveryReport

  /// What the signed-in user has a right to, as the server says now.
  ///
  /// - Throws: `PurchasingError`, which never says that he has none.
  func entitlements() async throws(PurchasingError) -> [Entitlement]

  /// How many units the signed-in user has, as the server says now.
  ///
  /// - Throws: `PurchasingError`, which never says that he has none.
  func balances() async throws(PurchasingError) -> [Balance]

  /// The orders of the signed-in user that the device holds a record of.
  func openOrders() async -> [OpenOrder]

  /// What happens, open orders first.
  func events() async -> AsyncStream<PurchaseEvent>
}

extension PaymentService {
  /// Buys one piece of a product at the configuration's store.
  public func purchase(_ product: ProductIdentifier) async throws(PurchasingError) -> PurchaseOutcome {
    try await purchase(product, quantity: 1, store: nil, details: PurchaseDetails())
  }
}

extension Purchasing: PaymentService {}
