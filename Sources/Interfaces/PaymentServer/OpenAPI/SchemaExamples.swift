import CounterfoilAPI
import StrictJSON

/// An example for each schema: written out where a purchase needs it, otherwise made from the schema's required fields.
enum SchemaExamples {
  /// The examples of a request's body by name.
  static func ofRequest(_ schema: String) -> [(String, JSONValue?)] {
    ExamplesOfPurchases.requests[schema] ?? [(schema, of(schema))]
  }

  /// One value that fits the schema.
  static func of(_ schema: String) -> JSONValue {
    if schema == "EventBody" { return ExamplesOfEvents.body(.purchaseCompleted).json }
    return ExamplesOfPurchases.answers[schema] ?? value(Schemas.all[schema] ?? .null, named: schema)
  }

  private static func value(_ schema: JSONValue, named name: String) -> JSONValue {
    if let reference = schema["$ref"]?.string { return of(String(reference.split(separator: "/").last ?? "")) }
    if let word = schema["enum"]?.array?.first { return word }
    switch schema["type"]?.string {
    case "string": return .string(text(schema, named: name))
    case "integer": return .integer(numbers[name] ?? schema["minimum"]?.integer ?? 1)
    case "boolean": return .bool(true)
    case "array": return .array(schema["items"].map { [value($0, named: name)] } ?? [])
    default: return object(schema)
    }
  }

  /// The required members; all of them if none is required.
  private static func object(_ schema: JSONValue) -> JSONValue {
    let required = schema["required"]?.array?.compactMap(\.string)
    let shown = (schema["properties"]?.object ?? []).filter { required?.contains($0.name) ?? true }
    return .object(shown.map { JSONMember($0.name, value($0.value, named: $0.name)) })
  }

  private static func text(_ schema: JSONValue, named name: String) -> String {
    switch schema["format"]?.string {
    case "date-time": ExamplesOfPurchases.moment
    case "uuid": ExamplesOfPurchases.order
    default: texts[name] ?? "text"
    }
  }

  private static let numbers: [String: Int64] = ["amount": 30, "status": 404, "milliunits": 6000, "total": 600]

  private static let texts = [
    "userId": "alice", "productId": "coins.100", "transactionId": "2000000123456789", "currency": "CNY",
    "originalTransactionId": "2000000123456789", "unit": "coin", "entitlement": "premium", "app": "demo",
    "reference": "M-95733323", "orderId": ExamplesOfPurchases.order, "day": "2026-03-01",
    "from": "2026-03-01", "to": "2026-03-31", "number": "MBXTEST00001",
    "reason": "asked by the customer", "code": "order_unknown", "signedPayload": "eyJhbGciOiJFUzI1NiIsIng1YyI6…",
    "offerIdentifier": "winter", "label": "backend",
  ]
}
