public import HTTPMessages
public import PaymentVocabulary
import StrictJSON

extension Refusal where Code == HTTPServerErrorCode {
  /// The refusal as it goes to the client: `application/problem+json` with the members of every refusal of this
  /// product. The connection is closed after it.
  public func answer(requestIdentifier: String, language: Language = .english) -> HTTPResponse {
    let retryAfter = code == .busy || code == .tooManyConnections ? 1 : nil
    let problem = JSONValue.members([
      ("type", .string("urn:counterfoil:error:" + code.rawValue)),
      ("title", .string(code.meaning[language])), ("status", .integer(code.status)),
      ("code", .string(code.rawValue)),
      ("detail", particulars.isEmpty ? nil : .string(particulars)),
      ("remedy", .string(code.remedy[language])), ("requestId", .string(requestIdentifier)),
      ("retryAfter", retryAfter.map { .integer($0) }),
    ])
    var answer = HTTPResponse(status: code.status, json: problem)
    answer.fields.set("Content-Type", "application/problem+json")
    answer.fields.set("Retry-After", retryAfter.map { String($0) })
    return answer
  }
}
