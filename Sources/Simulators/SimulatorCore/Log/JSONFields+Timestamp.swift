package import PaymentPrimitives
package import StrictJSON

extension JSONFields {
  /// A moment in milliseconds since 1970, as in the log.
  package func timestamp(_ name: String) throws(JSONFieldError) -> Timestamp {
    Timestamp(milliseconds: try integer(name))
  }

  /// A moment in milliseconds since 1970; nil when absent.
  package func optionalTimestamp(_ name: String) throws(JSONFieldError) -> Timestamp? {
    try optionalInteger(name).map { Timestamp(milliseconds: $0) }
  }
}
