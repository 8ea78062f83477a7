import StrictJSON

/// What each field of the contract means, for people who read `/openapi.json` and for clients that are made from it.
enum FieldMeanings {
  /// By the field's name, or by its path from its schema where a name has several meanings.
  private static let all = ofPurchases.merging(ofOperators) { first, _ in first }
    .merging(ofPhones) { first, _ in first }.merging(ofEvents) { first, _ in first }
    .merging(ofReports) { first, _ in first }.merging(ofUsers) { first, _ in first }
    .merging(ofComplaints) { first, _ in first }.merging(ofPromotional) { first, _ in first }

  /// The same schema with a description of each property, at every depth.
  static func described(_ schema: JSONValue, at path: String) -> JSONValue {
    guard case .object(let keywords) = schema else { return schema }
    return .object(
      keywords.map { keyword in
        switch keyword.name {
        case "properties":
          JSONMember(
            keyword.name,
            .object((keyword.value.object ?? []).map { JSONMember($0.name, property($0, of: path)) }))
        case "items": JSONMember(keyword.name, described(keyword.value, at: path))
        default: keyword
        }
      })
  }

  private static func property(_ property: JSONMember, of path: String) -> JSONValue {
    let own = path + "." + property.name
    guard case .object(let keywords) = described(property.value, at: own),
      let meaning = all[own] ?? all[property.name]
    else { return property.value }
    // A limit that the schema states in words stays.
    let limit = keywords.first { $0.name == "description" }?.value.string
    let text = limit.map { meaning + " " + $0 } ?? meaning
    return .object(keywords.filter { $0.name != "description" } + [JSONMember("description", .string(text))])
  }
}
