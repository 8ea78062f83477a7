import PaymentEngine
import PaymentVocabulary
import StrictJSON

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
      ),
      ("paths", .members(paths.map { ($0.path, .members($0.operations)) })),
      (
        "components",
        .members([
          ("schemas", Schemas.all),
          (
            "securitySchemes",
            .members([
              scheme("user", "A user token: JWT, HS256 or ES256, with kid, sub, iat, exp and aud."),
              scheme("publishable", "A publishable key (cfp_…): ships inside the app."),
              scheme("backend", "A secret key (cfs_…): the app's backend."),
              scheme("operator", "An operator key (cfo_…)."),
            ])
          ),
        ])
      ),
    ])
  }

  private static func scheme(_ name: String, _ meaning: String) -> (String, JSONValue?) {
    (
      name,
      .members([("type", "http"), ("scheme", "bearer"), ("description", .string(meaning))])
    )
  }

  private static func operation(of route: Route) -> JSONValue {
    let documentation = route.documentation
    let names = route.path.split(separator: "/").filter { $0.hasPrefix("{") }
      .map { String($0.dropFirst().dropLast()) }
    let parameters =
      names.map { parameter($0, in: "path", "In the path.") }
      + documentation.query.map { parameter($0.name, in: "query", $0.meaning) }
    let security = route.access.subtracting([.open]).map(\.rawValue).sorted()
    return .members([
      ("operationId", .string(operationIdentifier(of: route))),
      ("summary", .string(documentation.summary)),
      ("parameters", parameters.isEmpty ? nil : .array(parameters)),
      ("requestBody", documentation.request.map(requestBody)),
      ("responses", responses(of: route)),
      (
        "security",
        security.isEmpty
          ? nil : .array(security.map { .members([($0, .array([]))]) })
      ),
    ])
  }

  /// The use case's name; where two paths lead to one use case, the longer one says by which.
  private static func operationIdentifier(of route: Route) -> String {
    let rivals = Routes.all.filter { $0.name == route.name }
    guard rivals.count > 1, rivals.first?.path != route.path else { return route.name }
    return route.name + (route.path.hasPrefix("/v1/users") ? "OfUser" : "ByApp")
  }

  private static func parameter(_ name: String, in place: String, _ meaning: String) -> JSONValue {
    .members([
      ("name", .string(name)), ("in", .string(place)), ("required", .bool(place == "path")),
      ("description", .string(meaning)), ("schema", .members([("type", "string")])),
    ])
  }

  private static func requestBody(_ schema: String) -> JSONValue {
    .members([
      (
        "content",
        .members([("application/json", .members([("schema", reference(schema))]))])
      )
    ])
  }

  private static func reference(_ schema: String) -> JSONValue {
    .members([("$ref", .string("#/components/schemas/" + schema))])
  }

  private static func responses(of route: Route) -> JSONValue {
    let content = route.documentation.answer.map { schema in
      JSONValue.members([("application/json", .members([("schema", reference(schema))]))])
    }
    let problem = JSONValue.members([
      ("application/problem+json", .members([("schema", reference("Problem"))]))
    ])
    let codes = route.documentation.codes.isEmpty
      ? "Refused." : "Refused. Besides the usual codes: " + route.documentation.codes.joined(separator: ", ") + "."
    return .members([
      (
        "\(route.documentation.status)",
        .members([("description", "As asked."), ("content", content)])
      ),
      ("default", .members([("description", .string(codes)), ("content", problem)])),
    ])
  }
}
