import PaymentPrimitives
import StrictJSON

/// Checks a value against a JSON schema (draft 2020-12), as far as our document uses it. An unknown keyword is a
/// problem, so the check never passes what it cannot judge. A member that no schema names is a problem, too.
struct SchemaCheck {
  let root: JSONValue

  private static let keywords: Set<String> = [
    "$ref", "type", "enum", "required", "properties", "items", "maxItems", "minLength", "maxLength", "minimum",
    "maximum", "format", "description",
  ]

  /// What is wrong with a value; nothing when it fits.
  func problems(of value: JSONValue, by schema: JSONValue, at place: String = "") -> [String] {
    guard case .object(let keywords) = schema else { return ["\(place): there is no schema"] }
    if let reference = schema["$ref"]?.string {
      let target = reference.split(separator: "/").dropFirst().reduce(JSONValue?.some(root)) { $0?[String($1)] }
      guard let target else { return ["\(place): \(reference) leads nowhere"] }
      return problems(of: value, by: target, at: place)
    }
    var found = keywords.filter { !Self.keywords.contains($0.name) }.map { "\(place): unknown keyword \($0.name)" }
    if let words = schema["enum"]?.array, !words.contains(value) {
      found.append("\(place): \(value.text) is no such word")
    }
    switch schema["type"]?.string {
    case "object": found += objectProblems(value, schema, place: place)
    case "array": found += arrayProblems(value, schema, place: place)
    case "string": found += stringProblems(value, schema, place: place)
    case "integer": found += integerProblems(value, schema, place: place)
    case "boolean": if value.bool == nil { found.append("\(place): \(value.text) is no boolean") }
    case nil: break
    case let type?: found.append("\(place): unknown type \(type)")
    }
    return found
  }

  private func objectProblems(_ value: JSONValue, _ schema: JSONValue, place: String) -> [String] {
    guard let members = value.object else { return ["\(place): \(value.text) is no object"] }
    let required = (schema["required"]?.array ?? []).compactMap(\.string)
    var found = required.filter { value[$0] == nil }.map { "\(place): \($0) is missing" }
    guard let properties = schema["properties"] else { return found }
    for member in members {
      let inside = place + "/" + member.name
      guard let property = properties[member.name] else {
        found.append("\(inside) is not documented")
        continue
      }
      found += problems(of: member.value, by: property, at: inside)
    }
    return found
  }

  private func arrayProblems(_ value: JSONValue, _ schema: JSONValue, place: String) -> [String] {
    guard let items = value.array else { return ["\(place): \(value.text) is no array"] }
    var found: [String] = []
    if let most = schema["maxItems"]?.integer, items.count > most { found.append("\(place): \(items.count) items") }
    guard let item = schema["items"] else { return found + ["\(place): no word on its items"] }
    for (index, value) in items.enumerated() { found += problems(of: value, by: item, at: "\(place)/\(index)") }
    return found
  }

  private func stringProblems(_ value: JSONValue, _ schema: JSONValue, place: String) -> [String] {
    guard let text = value.string else { return ["\(place): \(value.text) is no string"] }
    var found: [String] = []
    let length = text.unicodeScalars.count
    if let least = schema["minLength"]?.integer, length < least { found.append("\(place): too short") }
    if let most = schema["maxLength"]?.integer, length > most { found.append("\(place): too long") }
    switch schema["format"]?.string {
    case "date-time": if Timestamp(iso8601: text) == nil { found.append("\(place): \(text) is no date") }
    case "uuid":
      let isUUID = OrderIdentifier(text)?.appAccountToken == text
      if !isUUID { found.append("\(place): \(text) is no UUID in lower case") }
    case nil: break
    case let format?: found.append("\(place): unknown format \(format)")
    }
    return found
  }

  private func integerProblems(_ value: JSONValue, _ schema: JSONValue, place: String) -> [String] {
    guard let number = value.integer else { return ["\(place): \(value.text) is no integer"] }
    var found: [String] = []
    if let least = schema["minimum"]?.integer, number < least { found.append("\(place): less than \(least)") }
    if let most = schema["maximum"]?.integer, number > most { found.append("\(place): more than \(most)") }
    return found
  }
}
