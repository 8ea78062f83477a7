import PaymentPrimitives
import StrictJSON

extension JSONFields {
  /// A text; nil if absent, `null` or empty. Before a payment, WeChat Pay leaves fields out or sends `""`.
  func stated(_ name: String, bytesMax: Int = 1024) throws(JSONFieldError) -> String? {
    if value(name)?.string?.isEmpty == true { return nil }
    return try optionalString(name, bytesMax: bytesMax)
  }

  /// A time in RFC 3339 with any offset; nil if absent, `null` or empty.
  func moment(_ name: String) throws(JSONFieldError) -> Timestamp? {
    if value(name)?.string?.isEmpty == true { return nil }
    return try optionallyConverted(name, "a moment in RFC 3339") { Timestamp(iso8601: $0) }
  }
}
