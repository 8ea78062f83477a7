import HTTPMessages
import PaymentPrimitives
import StrictJSON

// Names that a call does not know are refused: a caller who asks for `?transactionId=` must not get an answer about
// everything.
extension Route {
  /// Below these paths a body may have fields that this version does not know: a newer phone may call an older server,
  /// and a store may add a field.
  private static let openBodies = ["/v1/payments/", "/notifications/"]
  /// Below this path a query may have parameters that this version does not know.
  private static let openQueries = ["/notifications/"]

  /// Whether unread fields of the body are ignored.
  var takesAnyField: Bool { isProbe || Self.openBodies.contains { path.hasPrefix($0) } }

  /// Whether unread parameters of the query are ignored. A monitoring system may add its own.
  var takesAnyParameter: Bool { isProbe || Self.openQueries.contains { path.hasPrefix($0) } }
}

extension Call {
  /// Maximum characters of an unknown name in the error: enough to recognise it.
  private static let shownScalarsMax = 64

  /// Throws for parameters of the query that the route does not have, and for fields of a body if it takes none.
  func checkNames(of route: Route) throws(CodedError<ServerErrorCode>) {
    if !route.takesAnyParameter {
      let known = route.documentation.query.map(\.name)
      for item in target?.query ?? [] where !known.contains(where: { $0.utf8.elementsEqual(item.name.utf8) }) {
        throw Self.unknown(item.name, "parameter", among: known)
      }
    }
    // An unread body is ignored, unless it is an object with fields.
    guard route.documentation.request == nil, route.method != "GET", !route.takesAnyField,
      let body = try? json()
    else { return }
    try checkFields(of: body, for: route)
  }

  /// Throws for fields of the body that the route does not have.
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
