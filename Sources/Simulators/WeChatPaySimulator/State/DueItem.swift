/// What waits for its time: a payment in progress, a refund in progress, a notification.
enum DueItem: Hashable, Comparable, Sendable {
  case payment(OrderKey)
  case refund(RefundKey)
  case notification(String)
}
