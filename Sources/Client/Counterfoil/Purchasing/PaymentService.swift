public import PaymentPrimitives

/// The interface that an app's own code depends on, so that its tests can use another implementation. `Purchasing` is
/// the real one.
public protocol PaymentService: Sendable {
  /// Starts listening and working; a second call does nothing.
  func start() async

  /// Sets the signed-in user; nil when no one is signed in. Orders of another user stay with that user.
  func setUser(_ user: UserIdentifier?) async

  /// Buys a product for the signed-in user.
  ///
  /// - Throws: `PurchasingError`; it never says whether something was charged.
  func purchase(
    _ product: ProductIdentifier, quantity: Int, store: Store?, details: PurchaseDetails
  ) async throws(PurchasingError) -> PurchaseOutcome

  /// Completes open purchases.
  @discardableResult
  func recover(_ reason: RecoveryReason) async -> RecoveryReport

  /// Asks the store for earlier purchases. Call it only when the customer taps for it.
  ///
  /// - Throws: `PurchasingError`.
  func restorePurchases() async throws(PurchasingError) -> RecoveryReport

  /// The entitlements of the signed-in user, as the server says now.
  ///
  /// - Throws: `PurchasingError`; it never means that the user has none.
  func entitlements() async throws(PurchasingError) -> [Entitlement]

  /// The balances of the signed-in user, as the server says now.
  ///
  /// - Throws: `PurchasingError`; it never means that the user has none.
  func balances() async throws(PurchasingError) -> [Balance]

  /// The entitlements of the signed-in user, from the device if its last answer of the server is young enough.
  ///
  /// - Throws: `PurchasingError`; it never means that the user has none.
  func entitlements(
    maximumAge: TimeSpan, unreachableAge: TimeSpan?
  ) async throws(PurchasingError) -> EntitlementSnapshot

  /// The products for sale, with the store's prices.
  ///
  /// - Throws: `PurchasingError`; it never means that nothing is for sale.
  func catalog() async throws(PurchasingError) -> Catalog

  /// Whether this customer can pay on this device now.
  ///
  /// - Throws: `PurchasingError` with `notRunning`.
  func availability() async throws(PurchasingError) -> PurchaseAvailability

  /// What the user has bought, newest first.
  ///
  /// - Throws: `PurchasingError`; it never means that nothing was bought.
  func purchases(limit: Int, after next: String?) async throws(PurchasingError) -> PurchaseHistory

  /// The orders of the signed-in user that this device has a record of.
  func openOrders() async -> [OpenOrder]

  /// The events, open orders first.
  func events() async -> AsyncStream<PurchaseEvent>
}

extension PaymentService {
  /// Buys one piece of a product at the store that the configuration names.
  public func purchase(_ product: ProductIdentifier) async throws(PurchasingError) -> PurchaseOutcome {
    try await purchase(product, quantity: 1, store: nil, details: PurchaseDetails())
  }
}

extension Purchasing: PaymentService {}
