package import PaymentPrimitives

extension Timestamp {
  /// The time of a `Date` field: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7). Nil for the two obsolete
  /// forms, and for anything else.
  package init?(httpDate text: String) {
    let parts = text.split(separator: " ")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else { return nil }
    self.init(iso8601: "\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z")
  }
}
