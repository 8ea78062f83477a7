import HTTPMessages

/// Tells browsers which web pages may read the answers of user routes: the CORS protocol of the Fetch standard.
///
/// It protects nobody from a caller that is no browser. So a call from another page is answered like any other, and a
/// user's token is needed as always.
struct CrossOriginAccess: Sendable {
  /// The pages' origins, as browsers send them.
  private let origins: Set<String>

  /// How long a browser may keep an answer to its question, in seconds.
  private static let maxAge = "600"
  /// The fields of every call. Those of a route stand in its documentation.
  private static let requestFields = ["Authorization", "Content-Type", "Accept-Language"]
  private static let answerFields = [
    "Retry-After", "X-Request-Id", "X-Counterfoil-Profile", "RateLimit-Limit", "RateLimit-Remaining",
    "RateLimit-Reset",
  ].joined(separator: ", ")

  init(_ origins: Set<WebOrigin>) { self.origins = Set(origins.map(\.text)) }

  /// Adds the fields for the page that called. Without configured origins no answer has any.
  func add(to response: inout HTTPResponse, _ call: Call) {
    guard !origins.isEmpty, let route = call.route ?? call.preflighted, route.access.contains(.user) else { return }
    response.fields.set("Vary", "Origin")
    let sent = call.request.fields.values("Origin")
    guard sent.count == 1, origins.contains(sent[0]) else { return }
    response.fields.set("Access-Control-Allow-Origin", sent[0])
    guard call.preflighted != nil else {
      response.fields.set("Access-Control-Expose-Headers", Self.answerFields)
      return
    }
    response.fields.set("Access-Control-Allow-Methods", route.method)
    response.fields.set(
      "Access-Control-Allow-Headers",
      (Self.requestFields + route.documentation.fields.map(\.name)).joined(separator: ", "))
    response.fields.set("Access-Control-Max-Age", Self.maxAge)
  }
}
