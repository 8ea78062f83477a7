import HTTPMessages
package import PaymentModel
import PaymentPrimitives

/// One page or one form of the console: who may call it, and what answers.
package struct ConsoleRoute: Sendable {
  package enum Access: Hashable, Sendable {
    /// Every browser.
    case anybody
    /// Every operator who is signed in.
    case account
    /// Operators with this permission in every app.
    case everyApp(OperatorPermission)
    /// Operators with this permission in any app.
    case anyApp(OperatorPermission)
    /// Operators with this permission in the app of the path.
    case app(OperatorPermission)
  }

  /// `GET` or `POST`. A `HEAD` is answered like a `GET`.
  package let method: String
  /// The path behind `/console/`, with `{names}` for its parameters.
  package let path: String
  package let access: Access
  let answer: @Sendable (Console, ConsoleCall) async throws -> HTTPResponse

  init(
    _ method: String, _ path: String, for access: Access,
    _ answer: @escaping @Sendable (Console, ConsoleCall) async throws -> HTTPResponse
  ) {
    self.method = method
    self.path = path
    self.access = access
    self.answer = answer
  }

  /// The parameters of a path; nil for a path of another route.
  func parameters(of segments: [String]) -> [String: String]? {
    let pattern = path.split(separator: "/")
    guard pattern.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (part, segment) in zip(pattern, segments) {
      if part.hasPrefix("{") {
        parameters[String(part.dropFirst().dropLast())] = segment
      } else if !part.utf8.elementsEqual(segment.utf8) {
        return nil
      }
    }
    return parameters
  }
}

/// A request that a route answers. What the route's access does not promise is not there.
struct ConsoleCall {
  let visit: ConsoleVisit
  let parameters: [String: String]
  fileprivate let signedIn: SignedInVisit?
  fileprivate let appVisit: AppVisit?
  fileprivate let sent: WebForm?

  init(
    visit: ConsoleVisit, parameters: [String: String], signedIn: SignedInVisit? = nil, appVisit: AppVisit? = nil,
    sent: WebForm? = nil
  ) {
    self.visit = visit
    self.parameters = parameters
    self.signedIn = signedIn
    self.appVisit = appVisit
    self.sent = sent
  }

  /// A parameter of the path; routes read only their own.
  subscript(_ name: String) -> String { parameters[name] ?? "" }

  func account() throws -> SignedInVisit {
    guard let signedIn else { throw ConsoleProblem.foreignForm }
    return signedIn
  }

  func app() throws -> AppVisit {
    guard let appVisit else { throw ConsoleProblem.notFound }
    return appVisit
  }

  /// The form, whose token was checked.
  func form() throws -> WebForm {
    guard let sent else { throw ConsoleProblem.foreignForm }
    return sent
  }
}
