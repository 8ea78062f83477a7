import HTTPMessages
package import PaymentPrimitives
package import StrictJSON

/// One request and its result in a simulator's journal: for tests of a client's requests.
///
/// The journal is not in the log; it holds the last five hundred requests.
package struct WeChatPayExchangeNote: Hashable, Sendable {
  package let date: Timestamp
  package let method: String
  package let target: String
  package let body: String
  /// The whole header field with the signature; nil when there was none.
  package let authorization: String?
  /// The status of the answer; nil when none came.
  package let status: Int?
  /// The code of an error answer.
  package let code: String?

  /// The note as the control API shows it: without the body and the signature.
  package var json: JSONValue {
    .members([
      ("date", .string(date.iso8601)), ("method", .string(method)), ("target", .string(target)),
      ("status", status.map { .integer($0) }), ("code", code.map { .string($0) }),
    ])
  }
}
