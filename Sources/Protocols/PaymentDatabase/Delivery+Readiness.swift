package import PaymentModel
package import PaymentPrimitives

extension Delivery {
  /// When a pending delivery may be sent: the later of its due time and the end of its lease.
  package var readyAt: Timestamp { max(nextAttemptAt, lease?.until ?? nextAttemptAt) }

  /// Whether the other delivery has the same content, to the byte: all that an update may not change.
  package func tellsTheSame(as other: Delivery) -> Bool {
    id == other.id && payment == other.payment && order == other.order && kind == other.kind
      && sequence == other.sequence && sameBytes(body, other.body) && createdAt == other.createdAt
  }
}
