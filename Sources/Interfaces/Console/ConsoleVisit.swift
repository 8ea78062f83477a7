import HTTPMessages
import PaymentPrimitives
import PaymentServer

/// One request of a browser, as far as every page needs it.
struct ConsoleVisit {
  let request: HTTPRequest
  /// The address that the connection came from.
  let peer: String
  let requestId: String
  let now: Timestamp
  let language: Language
  /// The decoded path and query; nil if they cannot be read.
  let target: RequestTarget?

  init(_ request: HTTPRequest, peer: String, requestId: String, at now: Timestamp) {
    self.request = request
    self.peer = peer
    self.requestId = requestId
    self.now = now
    target = RequestTarget(request.target)
    language =
      Cookies.value(ConsoleSettings.languageCookie, of: request).flatMap(Language.init(rawValue:))
      ?? LanguageWish.language(of: request)
  }

  /// The segments of the path behind `/console`; nil for another path.
  var path: [String]? {
    guard let path = target?.path, path.first == "console" else { return nil }
    return Array(path.dropFirst())
  }

  /// A value of the query; nil if it is missing or empty.
  func query(_ name: String) -> String? { target?[name].flatMap { $0.isEmpty ? nil : $0 } }

  var isRead: Bool { request.method == "GET" || request.method == "HEAD" }
}
