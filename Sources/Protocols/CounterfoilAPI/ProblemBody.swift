public import PaymentPrimitives
public import StrictJSON

/// Every error in an answer: `application/problem+json` (RFC 9457) with a stable code and a remedy.
public struct ProblemBody: Error, Hashable, Sendable {
  /// The HTTP status.
  public var status: Int
  /// The stable code, listed in `docs/reference/errors.md`.
  public var code: String
  /// The fact that the code states, in the caller's language.
  public var title: String
  /// The details of this case.
  public var detail: String?
  /// What to do, in the caller's language.
  public var remedy: String
  /// The id of the request in the server's log.
  public var requestId: String
  /// How long to wait before a retry of the same request.
  public var retryAfter: TimeSpan?

  /// The media type of an error.
  public static let mediaType = "application/problem+json"

  /// An error from its parts.
  public init(
    status: Int, code: String, title: String, detail: String?, remedy: String, requestId: String
  ) {
    self.status = status
    self.code = code
    self.title = title
    self.detail = detail
    self.remedy = remedy
    self.requestId = requestId
  }

  /// Reads an error.
  public init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    status = Int(try fields.integer("status", in: 100...599))
    code = try fields.string("code")
    title = try fields.string("title", bytesMax: 4096)
    detail = try fields.optionalString("detail", bytesMax: 4096)
    remedy = try fields.optionalString("remedy", bytesMax: 4096) ?? ""
    requestId = try fields.optionalString("requestId") ?? ""
    retryAfter = try fields.optionalInteger("retryAfter", in: 0...86_400).map { .seconds($0) }
  }

  /// The error as in an answer.
  public var json: JSONValue {
    .members([
      ("type", .string("urn:counterfoil:error:" + code)), ("title", .string(title)),
      ("status", .integer(status)), ("code", .string(code)),
      ("detail", detail.map(JSONValue.string)), ("remedy", .string(remedy)),
      ("requestId", .string(requestId)),
      ("retryAfter", retryAfter.map { .integer(max(1, $0.milliseconds / 1000)) }),
    ])
  }
}
