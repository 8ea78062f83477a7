package import HTTPMessages
import Markup
package import PaymentEngine
package import PaymentPrimitives
package import PaymentServer

/// Answers the requests of operators' browsers as values: no socket, no thread. Every page is HTML from the server.
package final class Console: Sendable {
  let engine: PaymentEngine
  let settings: ConsoleSettings
  let dependencies: Dependencies
  let rate = SignInRate()
  let requests: RecentRequests
  let log: Log

  /// - Parameter requests: what the newest requests to the API concerned, for a search by a request's id.
  package init(
    engine: PaymentEngine, settings: ConsoleSettings, requests: RecentRequests, dependencies: Dependencies,
    log: @escaping Log
  ) {
    self.engine = engine
    self.settings = settings
    self.requests = requests
    self.dependencies = dependencies
    self.log = log
  }

  var pages: ConsolePages { ConsolePages(console: self) }
  var actions: ConsoleActions { ConsoleActions(console: self) }
  var signIn: ConsoleSignIn { ConsoleSignIn(console: self) }

  /// The address of a sign-in link. The code is in the fragment, which browsers send to nobody.
  package static func signInLink(origin: String, code: String) -> String { "\(origin)/console/enter#\(code)" }

  /// Answers a request; never throws.
  ///
  /// - Parameter peer: the IP address that the connection came from, without its port.
  package func respond(to request: HTTPRequest, from peer: String) async -> HTTPResponse {
    let visit = ConsoleVisit(
      request, peer: peer, requestId: dependencies.randomBytes(8).hexadecimal, at: dependencies.now())
    var response: HTTPResponse
    do { response = try await answer(visit) } catch {
      response = ErrorPage(error).response(visit, settings)
      if response.status >= 500 {
        log(LogEvent(.error, "console.failed", [("requestId", visit.requestId), ("error", "\(error)".prefixed(500))]))
      }
    }
    finish(&response, visit)
    return response
  }

  /// The fields of every answer.
  private func finish(_ response: inout HTTPResponse, _ visit: ConsoleVisit) {
    if response.fields["Cache-Control"] == nil { response.fields.set("Cache-Control", "no-store") }
    response.fields.set("X-Request-Id", visit.requestId)
    response.fields.set("X-Content-Type-Options", "nosniff")
    // Without any referrer, browsers send forms with the origin `null`, and these could not be told from foreign ones.
    response.fields.set("Referrer-Policy", "same-origin")
    response.fields.set("Cross-Origin-Opener-Policy", "same-origin")
    response.fields.set("Cross-Origin-Resource-Policy", "same-origin")
    response.fields.set(
      "Permissions-Policy",
      "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)")
    response.fields.set("Content-Security-Policy", Self.contentPolicy)
    if settings.isSecure {
      response.fields.set("Strict-Transport-Security", "max-age=63072000; includeSubDomains")
    }
    if visit.request.method == "HEAD" { response.body = [] }
  }

  /// Nothing comes from elsewhere, nothing is written into the page, and nobody frames it.
  static let contentPolicy = """
    default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
    """
}

extension String {
  /// Its first characters.
  func prefixed(_ count: Int) -> String { String(prefix(count)) }
}
