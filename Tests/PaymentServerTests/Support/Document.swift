import CounterfoilAPI
import HTTPMessages
import PaymentServer
import StrictJSON
import Synchronization

/// The OpenAPI document as the server serves it, and the check of an answer against it.
struct Document: Sendable {
  /// One call.
  struct Operation: Sendable {
    let method: String
    let path: String
    let json: JSONValue

    /// Any one of these kinds of credential is enough; `nobody` means that none is needed.
    var credentials: Set<String> {
      Set((json["security"]?.array ?? []).map { $0.object?.first?.name ?? "nobody" })
    }

    var body: JSONValue? { json["requestBody"]?["content"]?["application/json"]?["schema"] }

    /// The parameters of a place: `path`, `query`, `header`.
    func parameters(in place: String) -> [JSONValue] {
      (json["parameters"]?.array ?? []).filter { $0["in"]?.string == place }
    }

    /// All codes that it may refuse with.
    var codes: Set<String> {
      Set(
        (json["responses"]?.object ?? []).flatMap { $0.value["x-error-codes"]?.array ?? [] }.compactMap(\.string))
    }

    /// A path in which every parameter has that value.
    func path(with values: [String: String] = [:]) -> String {
      path.split(separator: "/").map { segment in
        guard segment.hasPrefix("{") else { return "/" + segment }
        return "/" + RequestTarget.encode(values[String(segment.dropFirst().dropLast())] ?? "unknown-1")
      }.joined()
    }

    func matches(_ method: String, _ target: String) -> Bool {
      let asked = target.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
      let own = path.split(separator: "/", omittingEmptySubsequences: false)
      return self.method == (method == "HEAD" ? "GET" : method) && asked.count == own.count
        && zip(asked, own).allSatisfy { $1.hasPrefix("{") ? !$0.isEmpty : $0 == $1 }
    }
  }

  let json: JSONValue
  let operations: [Operation]

  init(_ json: JSONValue) {
    self.json = json
    operations = (json["paths"]?.object ?? []).flatMap { path in
      (path.value.object ?? []).map { Operation(method: $0.name.uppercased(), path: path.name, json: $0.value) }
    }
  }

  /// The names of the fields that the body of a call may have.
  func fields(of operation: Operation) -> [String] {
    let name = operation.body?["$ref"]?.string?.split(separator: "/").last.map(String.init) ?? ""
    return (json["components"]?["schemas"]?[name]?["properties"]?.object ?? []).map(\.name)
  }

  private static let read = Mutex<Document?>(nil)

  /// The document; it is the same for all servers of these tests, so it is read once.
  static func served(by server: PaymentServer) async throws -> Document {
    if let known = read.withLock({ $0 }) { return known }
    let response = await server.respond(to: HTTPRequest("GET", "/openapi.json"), from: "192.0.2.254")
    let document = Document(try JSONReader.read(response.body))
    read.withLock { $0 = document }
    return document
  }

  /// What is wrong with an answer according to the document.
  func problems(with response: HTTPResponse, to request: HTTPRequest) -> [String] {
    var problems: [String] = []
    if response.fields["X-Request-Id"]?.utf8.count != 16 { problems.append("it has no request id") }
    if response.fields["Cache-Control"] != "no-store" { problems.append("a cache may keep it") }
    guard request.method != "OPTIONS" || response.status != 204 else { return problems }
    guard let operation = operations.first(where: { $0.matches(request.method, request.target) }) else {
      return problems + self.problems(withError: response, codes: nil)
    }
    guard let documented = operation.json["responses"]?["\(response.status)"] else {
      let code = (try? JSONReader.read(response.body))?["code"]?.string
      return problems + ["status \(response.status) (\(code ?? "no code")) is not documented"]
    }
    guard response.status != 204 else {
      return problems + (response.body.isEmpty && documented["content"] == nil ? [] : ["204 has a content"])
    }
    let mediaType = response.fields["Content-Type"]?.split(separator: ";").first.map(String.init) ?? "none"
    guard let content = documented["content"]?[mediaType] else { return problems + ["\(mediaType) is not documented"] }
    if !["text/plain", "text/csv"].contains(mediaType) {
      guard let body = try? JSONReader.read(response.body) else { return problems + ["its body is not JSON"] }
      problems += SchemaCheck(root: json).problems(of: body, by: content["schema"] ?? .null)
    }
    // A store's own form has neither our codes nor our request id.
    guard response.status >= 400, mediaType != "application/json" else { return problems }
    let codes = documented["x-error-codes"]?.array?.compactMap(\.string)
    return problems + self.problems(withError: response, codes: codes ?? [])
  }

  private func problems(withError response: HTTPResponse, codes: [String]?) -> [String] {
    guard response.fields["Content-Type"] == ProblemBody.mediaType else { return ["a refusal is no problem+json"] }
    guard let json = try? JSONReader.read(response.body), let problem = try? ProblemBody(json: json) else {
      return ["the problem cannot be read"]
    }
    var problems: [String] = []
    if problem.status != response.status { problems.append("it says status \(problem.status)") }
    if problem.requestId != response.fields["X-Request-Id"] { problems.append("its request id is another") }
    if json["type"]?.string != "urn:counterfoil:error:" + problem.code { problems.append("its type is another") }
    if problem.remedy.isEmpty || problem.title.isEmpty { problems.append("it does not say what to do") }
    if let codes, !codes.contains(problem.code) { problems.append("\(problem.code) is not documented") }
    if (problem.retryAfter != nil) != (response.fields["Retry-After"] != nil) {
      problems.append("body and header differ on when to ask again")
    }
    return problems
  }
}
