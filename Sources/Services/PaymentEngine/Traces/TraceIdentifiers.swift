import Cryptography
package import PaymentPrimitives

/// The identity of a trace: 16 bytes, of which at least one is not zero. The trace of an order has the order's id.
package struct TraceIdentifier: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  /// Nil if all bytes are zero.
  package init?(high: UInt64, low: UInt64) {
    guard high != 0 || low != 0 else { return nil }
    self.high = high
    self.low = low
  }

  /// The trace of an order.
  package init(of order: OrderIdentifier) {
    high = order.high
    // No id that is made here is all zero: it holds its version.
    low = order.low
  }

  /// A new trace.
  init(random bytes: [UInt8]) {
    high = SpanIdentifier.number(bytes.prefix(8))
    low = SpanIdentifier.number(bytes.dropFirst(8).prefix(8)) | 1
  }

  /// 32 hexadecimal digits in lower case.
  package var description: String { SpanIdentifier.digits(high) + SpanIdentifier.digits(low) }
}

/// The identity of a span in its trace: 8 bytes, of which at least one is not zero.
package struct SpanIdentifier: Hashable, Sendable, CustomStringConvertible {
  package let value: UInt64

  /// Nil for zero.
  package init?(_ value: UInt64) {
    guard value != 0 else { return nil }
    self.value = value
  }

  /// A new span.
  init(random bytes: [UInt8]) { value = Self.number(bytes.prefix(8)) | 1 }

  /// The span of an order's creation: the same wherever it is needed, so that nothing has to be stored.
  package init(creating order: OrderIdentifier) { self.init(digestOf: "order " + order.description) }

  /// The span of one attempt to send a message.
  init(sending message: String, attempt: Int) { self.init(digestOf: "\(message) \(attempt)") }

  private init(digestOf text: String) { self.init(random: SHA256.hash(text)) }

  /// 16 hexadecimal digits in lower case.
  package var description: String { Self.digits(value) }

  fileprivate static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

  fileprivate static func digits(_ number: UInt64) -> String {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }.hexadecimal
  }
}
