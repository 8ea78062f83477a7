package import HTTPMessages
package import PaymentPrimitives

/// The head of a request. The parser is stricter than RFC 9112: it rejects everything that two readers could read
/// differently.
///
/// A proxy in front of the server and the server itself must see the same requests in the same bytes. So the parser
/// repairs nothing: it unfolds no folded line, compares no doubled length, skips no unknown coding. Boost.Beast then
/// reads the same bytes again, and both must agree.
package struct RequestHead: Sendable, Equatable {
  /// The length of the body, and how it is sent.
  package enum Body: Hashable, Sendable {
    case none
    /// The body has this many bytes.
    case length(UInt64)
    case chunked
  }

  /// The method, one of `methods`.
  package let method: String
  /// The path and query, unchanged.
  package let target: String
  /// The segments of the path, decoded.
  package let path: [String]
  package let fields: HTTPFields
  package let body: Body
  /// Whether the client waits for `100 Continue` before it sends the body.
  package let expectsContinue: Bool

  /// The accepted methods; every other one is answered with 501.
  package static let methods: Set<String> = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
  ]
  /// The longest target in bytes, as in `RequestTarget`.
  package static let targetBytesMax = 4096

  /// Reads a head from its first byte to the empty line that ends it; throws for anything before, between or after.
  package init(_ bytes: [UInt8], fieldsMax: Int = 128) throws(CodedError<HTTPServerErrorCode>) {
    var lines = HeadLines(bytes)
    guard let first = try lines.next() else { throw CodedError(.malformed, "There is no request line.") }
    guard !first.starts(with: "PROXY ".utf8) else {
      throw CodedError(
        .malformed,
        "It begins with a PROXY protocol header: set `proxy_protocol`, and name the proxy in `trusted_proxies`.")
    }
    let parts = first.split(
      separator: 0x20, maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, Self.isToken(parts[0]), !parts[1].isEmpty else {
      throw CodedError(
        .malformed, "The request line is not a method, a target and a version, each after one space.")
    }
    let isHTTP10 = try Self.isHTTP10(parts[2])
    method = String(decoding: parts[0], as: UTF8.self)
    guard Self.methods.contains(method) else { throw CodedError(.methodUnknown) }
    (target, path) = try Self.target(parts[1])
    fields = try Self.fields(&lines, max: fieldsMax)
    try Self.checkHost(fields.values("Host"), isHTTP10: isHTTP10)
    body = try Self.body(fields, isHTTP10: isHTTP10)
    expectsContinue = try Self.expectsContinue(fields, isHTTP10: isHTTP10)
  }

  private static func isHTTP10(_ text: ArraySlice<UInt8>) throws(CodedError<HTTPServerErrorCode>) -> Bool {
    if text.elementsEqual("HTTP/1.1".utf8) { return false }
    if text.elementsEqual("HTTP/1.0".utf8) { return true }
    let bytes = Array(text)
    guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8), isDigit(bytes[5]),
      bytes[6] == 0x2E, isDigit(bytes[7])
    else { throw CodedError(.malformed, "The request line does not end with an HTTP version.") }
    throw CodedError(.versionUnsupported)
  }

  private static func target(
    _ bytes: ArraySlice<UInt8>
  ) throws(CodedError<HTTPServerErrorCode>) -> (String, [String]) {
    guard bytes.count <= targetBytesMax else {
      throw CodedError(.targetTooLong, "At most \(targetBytesMax) bytes are read.")
    }
    // Visible ASCII except `#`: clients never send a fragment.
    guard bytes.first == 0x2F, bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 }) else {
      throw CodedError(.targetNotAccepted)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let target = RequestTarget(text) else {
      throw CodedError(.targetNotAccepted, "A percent escape is broken, or a segment is not allowed.")
    }
    return (text, target.path)
  }

  private static func fields(
    _ lines: inout HeadLines, max: Int
  ) throws(CodedError<HTTPServerErrorCode>) -> HTTPFields {
    var fields = HTTPFields()
    var count = 0
    while let line = try lines.next() {
      count += 1
      guard count <= max else { throw CodedError(.headTooLarge, "At most \(max) fields are read.") }
      guard line.first != 0x20, line.first != 0x09 else {
        throw CodedError(.malformed, "Field \(count) is folded over two lines.")
      }
      guard let colon = line.firstIndex(of: 0x3A), isToken(line[..<colon]) else {
        throw CodedError(.malformed, "Line \(count) of the fields has no name directly before a colon.")
      }
      let value = trimmed(line[(colon + 1)...])
      guard let text = String(validating: value, as: UTF8.self) else {
        throw CodedError(.malformed, "Field \(count) is not UTF-8.")
      }
      fields.add(String(decoding: line[..<colon], as: UTF8.self), text)
    }
    guard lines.isAtEnd else { throw CodedError(.malformed, "Something follows the empty line.") }
    return fields
  }

  private static func checkHost(
    _ hosts: [String], isHTTP10: Bool
  ) throws(CodedError<HTTPServerErrorCode>) {
    if hosts.isEmpty, isHTTP10 { return }
    guard hosts.count == 1 else { throw CodedError(.hostNotOne, "There are \(hosts.count).") }
    guard !hosts[0].isEmpty, hosts[0].utf8.allSatisfy(isPartOfHost) else {
      throw CodedError(.hostNotOne, "Its value is not a host with an optional port.")
    }
  }

  private static func body(
    _ fields: HTTPFields, isHTTP10: Bool
  ) throws(CodedError<HTTPServerErrorCode>) -> Body {
    let lengths = fields.values("Content-Length")
    let codings = fields.values("Transfer-Encoding")
    guard lengths.count + codings.count <= 1 else {
      throw CodedError(
        .framingAmbiguous, "Content-Length comes \(lengths.count) times, Transfer-Encoding \(codings.count) times.")
    }
    if let coding = codings.first {
      guard !isHTTP10 else {
        throw CodedError(.framingAmbiguous, "HTTP/1.0 knows no Transfer-Encoding.")
      }
      guard !coding.isEmpty else { throw CodedError(.framingAmbiguous, "Transfer-Encoding is empty.") }
      guard coding.lowercased() == "chunked" else { throw CodedError(.transferCodingUnknown) }
      return .chunked
    }
    guard let length = lengths.first else { return .none }
    // 18 digits cannot overflow; every accepted body is much smaller.
    guard (1...18).contains(length.utf8.count), length.utf8.allSatisfy(isDigit),
      let count = UInt64(length)
    else { throw CodedError(.framingAmbiguous, "Content-Length is not a plain number.") }
    return count == 0 ? .none : .length(count)
  }

  private static func expectsContinue(
    _ fields: HTTPFields, isHTTP10: Bool
  ) throws(CodedError<HTTPServerErrorCode>) -> Bool {
    let expectations = fields.values("Expect")
    guard !isHTTP10, !expectations.isEmpty else { return false }
    guard expectations.allSatisfy({ $0.lowercased() == "100-continue" }) else {
      throw CodedError(.expectationUnknown)
    }
    return true
  }
}
