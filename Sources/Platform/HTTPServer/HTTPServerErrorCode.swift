package import PaymentPrimitives

/// The reasons why the server rejects a request before any route receives it, or cannot be opened.
package enum HTTPServerErrorCode: String, ErrorCode {
  /// The request line or a field breaks the grammar of RFC 9112: a bare line feed, NUL, a space before a colon, a
  /// folded line.
  case malformed = "http_request_malformed"
  /// There is no `Host`, or two, or one that names no host.
  case hostNotOne = "http_host_not_one"
  /// Two readers could disagree about the end of the body.
  case framingAmbiguous = "http_framing_ambiguous"
  /// The target is not a path with a query.
  case targetNotAccepted = "http_target_not_accepted"
  /// A chunk breaks the grammar.
  case chunkMalformed = "http_chunk_malformed"
  /// The client stopped sending in the middle of a request.
  case incomplete = "http_request_incomplete"
  /// The head or the body did not arrive within the deadline.
  case tooSlow = "http_request_too_slow"
  /// The body is larger than this route allows.
  case bodyTooLarge = "http_body_too_large"
  /// The target is longer than `RequestHead.targetBytesMax`.
  case targetTooLong = "http_target_too_long"
  /// The request has an `Expect` other than `100-continue`.
  case expectationUnknown = "http_expectation_unknown"
  /// The head is larger than allowed, or has more fields.
  case headTooLarge = "http_head_too_large"
  /// No route has this method.
  case methodUnknown = "http_method_unknown"
  /// The transfer coding is not `chunked`.
  case transferCodingUnknown = "http_transfer_coding_unknown"
  /// The version is not HTTP/1.0 or HTTP/1.1.
  case versionUnsupported = "http_version_unsupported"
  /// All connections, or all memory for bodies, are in use.
  case busy = "http_server_busy"
  /// The address of the client holds as many connections as allowed.
  case tooManyConnections = "http_too_many_connections"
  /// A route returned an answer that cannot be sent.
  case answerInvalid = "http_answer_invalid"
  /// The server cannot listen on the address.
  case addressUnavailable = "http_address_unavailable"
  /// The certificate or its key cannot be used.
  case certificateUnusable = "http_certificate_unusable"

  /// The HTTP status of the answer; 500 for errors that occur before there is a request.
  package var status: Int {
    switch self {
    case .malformed, .hostNotOne, .framingAmbiguous, .targetNotAccepted, .chunkMalformed, .incomplete: 400
    case .tooSlow: 408
    case .bodyTooLarge: 413
    case .targetTooLong: 414
    case .expectationUnknown: 417
    case .tooManyConnections: 429
    case .headTooLarge: 431
    case .methodUnknown, .transferCodingUnknown: 501
    case .versionUnsupported: 505
    case .busy: 503
    case .answerInvalid, .addressUnavailable, .certificateUnusable: 500
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .busy, .tooManyConnections, .tooSlow, .incomplete: .later
    default: .never
    }
  }
}
