import HTTPMessages
import PaymentPrimitives

/// The bytes before the body of an answer, except `Date`, `Connection` and the empty line. The connection adds these.
struct ResponseHead {
  let bytes: [UInt8]
  /// Whether the body is sent: not after HEAD, and not with 204 and 304.
  let sendsBody: Bool
  /// Whether the route requested that the connection be closed.
  let closes: Bool

  /// Fields that only the connection may set.
  private static let reserved = [
    "Connection", "Content-Length", "Date", "Keep-Alive", "Server", "Transfer-Encoding", "Upgrade",
  ]

  /// Writes the head; throws for a status that is not final, and for a field that contains a line end.
  init(_ response: HTTPResponse, toMethod method: String) throws(CodedError<HTTPServerErrorCode>) {
    guard (200...599).contains(response.status) else {
      throw CodedError(.answerInvalid, "The status \(response.status) is not final.")
    }
    var fields = response.fields
    closes = fields.values("Connection").contains { $0.lowercased() == "close" }
    for name in Self.reserved where fields[name] != nil { fields.set(name, nil) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    bytes += "HTTP/1.1 \(response.status) \(Self.reason(response.status))\r\n".utf8
    for (name, value) in fields.all {
      guard RequestHead.isToken(Array(name.utf8)[...]), !value.utf8.contains(where: Self.isControl) else {
        throw CodedError(.answerInvalid, "A field has a name or value that cannot be sent.")
      }
      bytes += "\(name): \(value)\r\n".utf8
    }
    let hasNoBody = response.status == 204 || response.status == 304
    if !hasNoBody { bytes += "Content-Length: \(response.body.count)\r\n".utf8 }
    sendsBody = !hasNoBody && method != "HEAD"
    self.bytes = bytes
  }

  private static func isControl(_ byte: UInt8) -> Bool {
    (byte < 0x20 && byte != 0x09) || byte == 0x7F
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    // RFC 9112 §4: the phrase may be empty, and clients must ignore it.
    default: ""
    }
  }
}
