package import PaymentPrimitives

/// A failed attempt to send a delivery. Successful ones are not kept: the delivery says that it was acknowledged.
package struct DeliveryAttempt: Hashable, Sendable {
  /// The most attempts that are kept of a delivery: older ones go.
  package static let keptMax = 100
  /// The most bytes that are kept of an answer: enough for an error text.
  package static let answerBytesMax = 256

  package let delivery: DeliveryIdentifier
  package let payment: PaymentKey
  /// `Delivery.attempts` after it.
  package let number: Int
  package let at: Timestamp
  /// The name of the endpoint in the configuration.
  package let endpoint: String
  /// The status of the answer; nil if none came.
  package var status: Int?
  /// How long it took until the answer, or until the attempt was given up.
  package var milliseconds: Int64
  package var problem: String?
  /// The beginning of the answer's body, as it came.
  package var answer: [UInt8]

  package init(
    _ delivery: DeliveryIdentifier, of payment: PaymentKey, number: Int, at moment: Timestamp, endpoint: String,
    milliseconds: Int64
  ) {
    self.delivery = delivery
    self.payment = payment
    self.number = number
    self.at = moment
    self.endpoint = endpoint
    self.milliseconds = milliseconds
    self.answer = []
  }
}
