import HTTPMessages
import PaymentPrimitives
import StrictJSON

// Names that a call does not know are refused: whoever asks for `?transactionId=` must not be answered as if they had
// asked for everything.
extension Route {
  /// Under these paths a body may have fields that this version does not know: a newer phone may talk to an older
  /// server, and a store may add a field.
  private static let openBodies = ["/v1/payments/", "/notifications/"]
  /// Under this path a query may have parameters that this version does not know.
  private static let openQueries = ["/notifications/"]

  /// Whether fields of the body that nobody reads are passed over.
  var takesAnyField: Bool { isProbe || Self.openBodies.contains { path.hasPrefix($0) } }

  /// Whether parameters of the query that nobody reads are passed over. A watching machine may add its own.
  var takesAnyParameter: Bool { isProbe || Self.openQueries.contains { path.hasPrefix($0) } }
}

extension Call {
  /// Of a foreign name that is shown again: enough to know it by.
  private static let shownScalarsMax = 64

  /// Refuses parameters of the query that the route does not have, and fields of a body where it takes none.
  func checkNames(of route: Route) throws(CodedError<ServerErrorCode>) {
    if !route.takesAnyParameter {
      let known = route.documentation.query.map(\.name)
      for item in target?.query ?? [] where !known.contains(where: { $0.utf8.elementsEqual(item.name.utf8) }) {
        throw Self.unknown(item.name, "parameter", among: known)
      }
    }
    // A body that nobody reads says nothing, unless it is an object that says something.
    guard route.documentation.request == nil, route.method != "GET", !route.takesAnyField,
      let body = try? json()
    else { return }
    try checkFields(of: body, for: route)
  }

  /// Refuses fields of the body that the route does not have.
  func checkFields(of body: JSONValue, for route: Route) throws(CodedError<ServerErrorCode>) {
    guard !route.takesAnyField, let members = body.object else { return }
    let known = route.documentation.request.map { Schemas.fields(of: $0) } ?? []
    for member in members where !known.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) {
      throw Self.unknown(member.name, "field", among: known)
    }
  }

  private static func unknown(
    _ name: String, _ kind: String, among known: [String]
  ) -> CodedError<ServerErrorCode> {
    let shown = String(String.UnicodeScalarView(name.unicodeScalars.prefix(shownScalarsMax)))
    let nearest = NearestName.of(name, among: known).map { " Is \"\($0)\" meant?" } ?? ""
    return CodedError(.fieldUnknown, "This call has no \(kind) \"\(shown)\".\(nearest)")
  }
}
