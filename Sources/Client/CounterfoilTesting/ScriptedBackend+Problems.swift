public import CounterfoilAPI
public import HTTPMessages

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ScriptedBackend {
  /// An error body with that code.
  public static func problemBody(_ status: Int, _ code: String) -> ProblemBody {
    ProblemBody(
      status: status, code: code, title: "Refused.", detail: nil, remedy: "See the code.", requestId: "r")
  }

  /// An error as the server answers it.
  public static func problem(_ status: Int, _ code: String, retryAfter: Int64? = nil) -> HTTPResponse {
    var response = HTTPResponse(
      status: status, fields: ["Content-Type": ProblemBody.mediaType],
      json: problemBody(status, code).json)
    response.fields.set("Retry-After", retryAfter.map(String.init))
    return response
  }
}
