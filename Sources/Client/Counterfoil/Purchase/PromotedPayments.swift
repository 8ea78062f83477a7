/// Purchases that the customer began outside the app, and that the app has not bought yet.
struct PromotedPayments {
  /// Maximum purchases from outside the app to remember: a customer begins one at a time.
  private static let paymentsMax = 8

  private(set) var waiting: [PromotedPayment] = []

  mutating func add(_ payment: PromotedPayment) {
    waiting = waiting.suffix(Self.paymentsMax - 1) + [payment]
  }

  mutating func remove(_ payment: PromotedPayment?) {
    waiting.removeAll { $0 == payment }
  }
}
