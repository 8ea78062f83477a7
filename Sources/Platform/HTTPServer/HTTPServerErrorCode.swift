package import PaymentPrimitives

/// Why the server refuses a request before any route sees it, or cannot be opened.
package enum HTTPServerErrorCode: String, ErrorCode {
  /// The request line or a field breaks the grammar of RFC 9112: a line feed alone, NUL, a space before a colon, a
  /// folded line.
  case malformed = "http_request_malformed"
  /// No `Host` or two, or one that names no host.
  case hostNotOne = "http_host_not_one"
  /// Two readers could disagree about where the body ends.
  case framingAmbiguous = "http_framing_ambiguous"
  /// A target that is not a path with a query.
  case targetNotAccepted = "http_target_not_accepted"
  /// A chunk that breaks the grammar.
  case chunkMalformed = "http_chunk_malformed"
  /// The client stopped sending in the middle of a request.
  case incomplete = "http_request_incomplete"
  /// Head or body did not arrive within the deadline.
  case tooSlow = "http_request_too_slow"
  /// The body is larger than this route takes.
  case bodyTooLarge = "http_body_too_large"
  /// The target is longer than any of ours.
  case targetTooLong = "http_target_too_long"
  /// An `Expect` other than `100-continue`.
  case expectationUnknown = "http_expectation_unknown"
  /// The head is larger, or has more fields, than allowed.
  case headTooLarge = "http_head_too_large"
  /// A method that no route has.
  case methodUnknown = "http_method_unknown"
  /// A transfer coding other than `chunked`.
  case transferCodingUnknown = "http_transfer_coding_unknown"
  /// A version other than HTTP/1.0 and HTTP/1.1.
  case versionUnsupported = "http_version_unsupported"
  /// The connections, or the memory for bodies, are used up.
  case busy = "http_server_busy"
  /// The address of the caller holds as many connections as one may.
  case tooManyConnections = "http_too_many_connections"
  /// A route answered what cannot be sent.
  case answerInvalid = "http_answer_invalid"
  /// The address cannot be listened on.
  case addressUnavailable = "http_address_unavailable"
  /// The certificate or its key cannot be used.
  case certificateUnusable = "http_certificate_unusable"

  /// The HTTP status of the answer; 500 for what happens before there is a request.
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
