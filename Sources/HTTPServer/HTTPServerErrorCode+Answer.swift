public import HTTPMessages
public import PaymentVocabulary
import ServerContract

extension Refusal where Code == HTTPServerErrorCode {
  /// The refusal as it goes to the client: `application/problem+json`. The connection is closed after it.
  public func answer(
    requestIdentifier: String, language: Language = .english
  ) -> HTTPResponse {
    var problem = ProblemBody(
      status: code.status, code: code.rawValue, title: code.meaning[language],
      detail: particulars.isEmpty ? nil : particulars, remedy: code.remedy[language],
      requestId: requestIdentifier)
    if code == .busy { problem.retryAfter = .seconds(1) }
    var answer = HTTPResponse(status: code.status, json: problem.json)
    answer.fields.set("Content-Type", ProblemBody.mediaType)
    if code == .busy { answer.fields.set("Retry-After", "1") }
    return answer
  }
}
