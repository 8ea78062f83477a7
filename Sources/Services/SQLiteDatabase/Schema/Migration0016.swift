/// A delivery of an order is found through the payment of the order, so each new delivery keeps one index less.
enum Migration0016 {
  static let statements = ["DROP INDEX deliveries_of_order"]
}
