import HTTPMessages

/// The cookies of a request (RFC 6265, section 5.4).
enum Cookies {
  /// More bytes than this console's cookies have together, many times over.
  private static let bytesMax = 8192

  /// The value of the first cookie with that name.
  static func value(_ name: String, of request: HTTPRequest) -> String? {
    var read = 0
    for field in request.fields.values("Cookie") {
      read += field.utf8.count
      guard read <= bytesMax else { return nil }
      for part in field.split(separator: ";") {
        let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if pair.count == 2, pair[0] == name[...] { return String(pair[1]) }
      }
    }
    return nil
  }

  /// The field that sets a cookie for this host alone. Scripts cannot read it.
  ///
  /// - Parameter seconds: how long it lives; nil for as long as the browser runs.
  static func setting(_ name: String, to value: String, seconds: Int?) -> String {
    "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax" + (seconds.map { "; Max-Age=\($0)" } ?? "")
  }
}
