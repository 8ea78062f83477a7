package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

extension CodedError where Code == HTTPServerErrorCode {
  /// The error as an HTTP answer: `application/problem+json` with the members that every error of this product has. The
  /// server closes the connection after it.
  package func answer(requestIdentifier: String, language: Language = .english) -> HTTPResponse {
    let retryAfter = code == .busy || code == .tooManyConnections ? 1 : nil
    let problem = JSONValue.members([
      ("type", .string("urn:counterfoil:error:" + code.rawValue)),
      ("title", .string(code.meaning[language])), ("status", .integer(code.status)),
      ("code", .string(code.rawValue)),
      ("detail", details.isEmpty ? nil : .string(details)),
      ("remedy", .string(code.remedy[language])), ("requestId", .string(requestIdentifier)),
      ("retryAfter", retryAfter.map { .integer($0) }),
    ])
    var answer = HTTPResponse(status: code.status, json: problem)
    answer.fields.set("Content-Type", "application/problem+json")
    answer.fields.set("Retry-After", retryAfter.map { String($0) })
    return answer
  }
}
