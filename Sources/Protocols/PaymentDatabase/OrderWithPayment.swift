package import PaymentModel

/// An order with the payment that paid it and that payment's deliveries about the order: what an answer shows.
package struct OrderWithPayment: Hashable, Sendable {
  package let order: Order
  /// Nil while it is unpaid.
  package let payment: Payment?
  /// By their sequence.
  package let deliveries: [Delivery]

  package init(_ order: Order, payment: Payment?, deliveries: [Delivery]) {
    self.order = order
    self.payment = payment
    self.deliveries = deliveries
  }
}
