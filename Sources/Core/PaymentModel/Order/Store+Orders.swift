package import PaymentPrimitives

extension Store {
  /// Whether an order is opened at the store before it can be paid.
  ///
  /// A payment there is a charge: it names our order, and no product. At the other stores a payment is a purchase: it
  /// names a product, and perhaps our order.
  package var opensOrders: Bool {
    switch self {
    case .weChatPay: true
    case .appStore: false
    }
  }
}
