package import PaymentPrimitives

/// One line of a world's trace.
package struct EventTraceLine: Hashable, Sendable {
  package let at: Timestamp
  package let who: String
  package let what: String
}
