import CounterfoilAPI
public import PaymentPrimitives

/// What a user has bought, newest first.
public struct PurchaseHistory: Hashable, Sendable {
  /// The purchases of this page.
  public var purchases: [PastPurchase]
  /// Hand it to the next call for older ones; nil if there are none.
  public var next: String?

  /// A page, for the tests of an app.
  public init(purchases: [PastPurchase], next: String? = nil) {
    self.purchases = purchases
    self.next = next
  }
}

/// One paid order of a user.
public struct PastPurchase: Hashable, Sendable, Identifiable {
  /// How much of the money was returned.
  public enum Refund: String, Hashable, CaseIterable, Sendable {
    /// Nothing; a part; all of it.
    case none, partial, full
  }

  /// The order: the customer's support number. `StoreSheets.requestRefund(ofOrder:in:)` takes it.
  public let id: OrderIdentifier
  /// The product, by Counterfoil's id.
  public let product: ProductIdentifier
  /// Number of pieces.
  public let quantity: Int
  /// The store that was paid. Only the App Store has a sheet for refunds.
  public let store: Store
  /// When it was paid.
  public let paidAt: Timestamp
  /// The price as the store signed it, for display only; nil if it did not.
  public var price: StatedPrice?
  /// How much was refunded.
  public var refund = Refund.none

  /// A purchase, for the tests of an app.
  public init(id: OrderIdentifier, product: ProductIdentifier, quantity: Int, store: Store, paidAt: Timestamp) {
    self.id = id
    self.product = product
    self.quantity = quantity
    self.store = store
    self.paidAt = paidAt
  }

  /// Nil if the order is not paid.
  init?(_ body: OrderBody) {
    guard body.state == .paid else { return nil }
    self.init(
      id: body.id, product: body.product, quantity: body.quantity, store: body.store,
      paidAt: body.paidAt ?? body.createdAt)
    price = body.signedPrice ?? body.price.map { StatedPrice($0) }
    switch body.refundState {
    case nil: refund = .none
    case .partial: refund = .partial
    case .full: refund = .full
    }
  }
}

extension Purchasing {
  /// What the signed-in user has bought, newest first, at both stores and on all devices.
  ///
  /// - Parameters:
  ///   - limit: orders to look through, 1 to 100. Unpaid ones are left out, so a page may be shorter.
  ///   - next: the `next` of the page before.
  /// - Throws: as `entitlements`. None of its errors means that nothing was bought.
  public func purchases(limit: Int = 50, after next: String? = nil) async throws(PurchasingError) -> PurchaseHistory {
    let count = min(max(limit, 1), ContractLimits.pageMax)
    let server = resources.server
    let page = try await askAboutUser { await server.orders(openOnly: false, limit: count, before: next, as: $0) }
    return PurchaseHistory(purchases: page.orders.compactMap { PastPurchase($0) }, next: page.next)
  }
}
