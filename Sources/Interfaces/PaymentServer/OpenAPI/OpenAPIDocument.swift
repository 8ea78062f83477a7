import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import Synchronization

/// The OpenAPI 3.1 document, made from the table of routes: a route without documentation cannot be written.
enum OpenAPIDocument {
  static func json(of routes: [Route], _ settings: ServerSettings) -> JSONValue {
    var paths: [(path: String, operations: [(String, JSONValue?)])] = []
    for route in routes {
      let operation = (route.method.lowercased(), operation(of: route))
      if let index = paths.firstIndex(where: { $0.path == route.path }) {
        paths[index].operations.append(operation)
      } else {
        paths.append((route.path, [operation]))
      }
    }
    return .members([
      ("openapi", "3.1.0"),
      (
        "info",
        .members([
          ("title", "Counterfoil"), ("version", .string(settings.version)),
          ("summary", "Whatever was paid is delivered exactly once, to the one who ordered it."),
          ("license", .members([("name", "Apache-2.0"), ("identifier", "Apache-2.0")])),
        ])
      ), ("servers", .array([server])), ("tags", .array(RouteTag.allCases.map(\.json))),
      ("paths", .members(paths.map { ($0.path, .members($0.operations)) })), ("webhooks", Webhooks.all),
      ("components", .members([("schemas", Schemas.all), ("securitySchemes", securitySchemes)])),
    ])
  }

  /// A document does not know under which name it is reached: a client states it.
  private static let server = JSONValue.members([
    ("url", "{origin}"), ("description", "Your server, or your own gateway that passes these calls on."),
    (
      "variables",
      .members([
        (
          "origin",
          .members([
            ("default", "http://127.0.0.1:8080"), ("description", "Scheme, host and port, without a slash at the end."),
          ])
        )
      ])
    ),
  ])

  private static let securitySchemes = JSONValue.members([
    scheme(.user, "A user token: JWT, HS256 or ES256, with kid, sub, iat, exp and aud.", format: "JWT"),
    scheme(.publishable, "A publishable key (cfp_…): ships inside the app."),
    scheme(.backend, "A secret key (cfs_…): the app's backend."),
    scheme(.operator, "An operator key (cfo_…)."),
  ])

  private static func scheme(
    _ access: Route.Access, _ meaning: String, format: String? = nil
  ) -> (String, JSONValue?) {
    (
      access.rawValue,
      .members([
        ("type", "http"), ("scheme", "bearer"), ("bearerFormat", format.map(JSONValue.string)),
        ("description", .string(meaning)),
      ])
    )
  }

  private static func operation(of route: Route) -> JSONValue {
    let documentation = route.documentation
    let parameters =
      route.parameters.map { parameter(.init(name: $0, meaning: "In the path."), in: "path") }
      + documentation.query.map { parameter($0, in: "query") }
      + documentation.fields.map { parameter($0, in: "header") }
    return .members([
      ("operationId", .string(operationIdentifier(of: route))),
      ("summary", .string(documentation.summary)), ("tags", .array([.string(RouteTag(of: route).rawValue)])),
      ("parameters", parameters.isEmpty ? nil : .array(parameters)),
      (
        "requestBody",
        documentation.request.map { requestBody($0, isRequired: !documentation.requestIsOptional) }
      ),
      ("responses", responses(of: route)), ("security", .array(security(of: route))),
      ("x-operator-roles", route.access.contains(.operator) ? roles(for: route) : nil),
    ])
  }

  /// The credentials, each of which is enough; an empty entry means that none is needed (from this machine, for local
  /// calls).
  private static func security(of route: Route) -> [JSONValue] {
    guard !route.access.contains(.open) else { return [] }
    let schemes = route.access.subtracting([.local]).map(\.rawValue).sorted()
    return schemes.map { .members([($0, .array([]))]) } + (route.access.contains(.local) ? [.object([])] : [])
  }

  /// The roles of operator keys that may call it.
  private static func roles(for route: Route) -> JSONValue {
    .array(OperatorPermissions.needed(for: route).roles.map { .string($0.rawValue) })
  }

  /// The use case's name; if several paths lead to one use case, all but the first add a suffix.
  private static func operationIdentifier(of route: Route) -> String {
    let rivals = Routes.all.filter { $0.name == route.name }
    guard rivals.count > 1, rivals.first?.path != route.path else { return route.name }
    if route.path.hasPrefix("/v1/operator") { return route.name + "ByOperator" }
    return route.name + (route.path.hasPrefix("/v1/users") ? "OfUser" : "ByApp")
  }

  private static func parameter(_ parameter: RouteDocumentation.Parameter, in place: String) -> JSONValue {
    .members([
      ("name", .string(parameter.name)), ("in", .string(place)), ("required", .bool(place == "path")),
      ("description", .string(parameter.meaning)), ("schema", parameter.schema),
    ])
  }

  private static func requestBody(_ schema: String, isRequired: Bool) -> JSONValue {
    let examples: [(String, JSONValue?)] = SchemaExamples.ofRequest(schema).map { name, value in
      (name, value.map { JSONValue.members([("value", $0)]) })
    }
    let content = JSONValue.members([
      (
        "application/json",
        .members([("schema", Schemas.reference(schema)), ("examples", .members(examples))])
      )
    ])
    return .members([("required", .bool(isRequired)), ("content", content)])
  }

  private static func content(_ mediaType: String, _ schema: String, example: JSONValue? = nil) -> JSONValue {
    .members([(mediaType, .members([("schema", Schemas.reference(schema)), ("example", example)]))])
  }

  private static func responses(of route: Route) -> JSONValue {
    let documentation = route.documentation
    let plain: JSONValue = .members([
      (
        "text/plain",
        .members([
          ("schema", .members([("type", "string")])),
          ("example", #"counterfoil_orders_created_total{app="demo",store="appStore",environment="production"} 1"#),
        ])
      )
    ])
    var content =
      documentation.answer.map { Self.content("application/json", $0, example: SchemaExamples.of($0)) } ?? plain
    if documentation.isTableToo {
      let table = JSONValue.members([("schema", .members([("type", "string")]))])
      content = .object((content.object ?? []) + [JSONMember("text/csv", table)])
    }
    var responses: [(String, JSONValue?)] = documentation.statuses.map { status in
      let description = status == documentation.statuses.first ? "As asked." : "As asked, and done before."
      // 204 has no content.
      return (
        "\(status)", .members([("description", .string(description)), ("content", status == 204 ? nil : content)])
      )
    }
    let byStatus = Dictionary(grouping: route.possibleErrors, by: \.status)
    let own = documentation.ownErrors
    responses += own.statuses.union(byStatus.keys).sorted().map { status in
      ("\(status)", errorResponse(byStatus[status] ?? [], own: own.statuses.contains(status) ? own.schema : nil))
    }
    return .members(responses)
  }

  /// The documented error answer of one status.
  ///
  /// - Parameter own: the schema of the store's own form, if the route also answers in it.
  private static func errorResponse(_ errors: [Route.PossibleError], own: String?) -> JSONValue {
    let descriptions = (own == nil ? [] : ["In the store's own form."]) + errors.map { "`\($0.code)`: \($0.meaning)" }
    let forms =
      (own.map { [content("application/json", $0)] } ?? [])
      + (errors.isEmpty ? [] : [content("application/problem+json", "Problem")])
    return .members([
      ("description", .string(descriptions.joined(separator: " "))),
      ("content", .object(forms.flatMap { $0.object ?? [] })),
      ("x-error-codes", errors.isEmpty ? nil : .array(errors.map { .string($0.code) })),
    ])
  }
}

/// The document as text, made on the first request: every caller may ask, and making it is expensive.
final class OpenAPIText: Sendable {
  private let settings: ServerSettings
  private let made = Mutex<[UInt8]?>(nil)

  init(_ settings: ServerSettings) { self.settings = settings }

  var bytes: [UInt8] {
    made.withLock { made in
      if let made { return made }
      let bytes = OpenAPIDocument.json(of: Routes.all, settings).bytes
      made = bytes
      return bytes
    }
  }
}
