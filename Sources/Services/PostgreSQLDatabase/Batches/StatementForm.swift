/// The parts of a statement that a joined one needs.
struct StatementForm {
  private let text: String
  private let kind: Kind

  private enum Kind {
    case query
    /// An insertion of one row, up to its values, the values, and what follows.
    case insertion(head: String, values: String, rest: String)
    /// An update up to its condition, and the condition.
    case update(head: String, condition: String)
    case deletion(head: String, condition: String)
    case other
  }

  init(_ text: String) {
    self.text = text
    kind = Self.kind(of: text)
  }

  private static func kind(of text: String) -> Kind {
    // One that locks rows runs alone: it takes as many as its own limit says. So does one that begins later in a list.
    let isAlone = text.contains("FOR NO KEY UPDATE") || text.contains(" OFFSET ")
    if text.hasPrefix("SELECT ") { return isAlone ? .other : .query }
    let halves = text.components(around: "WHERE ")
    if text.hasPrefix("INSERT INTO "), let (head, rest) = text.components(around: "VALUES (") {
      guard let values = rest.untilClosed, !rest.contains("RETURNING") else { return .other }
      return .insertion(head: head, values: values, rest: String(rest.dropFirst(values.count + 1)))
    }
    guard let (head, condition) = halves, condition.components(around: "WHERE ") == nil else { return .other }
    if text.hasPrefix("UPDATE "), head.components(around: "FROM ") == nil {
      return .update(head: head, condition: condition)
    }
    if text.hasPrefix("DELETE FROM ") { return .deletion(head: head, condition: condition) }
    return .other
  }

  /// The parameters that say which row is changed, from 0; nil if rows are only added.
  var key: [Int]? {
    switch kind {
    case .query, .other: return nil
    case .update(_, let condition), .deletion(_, let condition): return condition.parameters
    case .insertion(let head, let values, let rest):
      guard let (_, conflict) = rest.components(around: "ON CONFLICT ("), rest.contains("DO UPDATE"),
        let keys = conflict.untilClosed, let columns = head.components(around: "(")?.1.untilClosed
      else { return nil }
      let names = columns.items
      return keys.items.flatMap { key in
        zip(names, values.items).first { $0.0 == key }?.1.parameters ?? []
      }
    }
  }

  /// - Returns: nil for a form that cannot be joined.
  func joined(_ types: [ArrayType], requiresRows: Bool) -> String? {
    let arrays = types.indices.map { "$\($0 + 1)::\(types[$0].rawValue)[]" }.joined(separator: ", ")
    let names = types.indices.map { "p\($0 + 1)" }.joined(separator: ", ")
    let rows = "unnest(\(arrays)) AS q (\(names))"
    let change: String
    switch kind {
    case .query:
      // OFFSET keeps the inner query as it is: otherwise the planner may take the tables first, and walk through them.
      return """
        SELECT q.place, f.* FROM unnest(\(arrays)) WITH ORDINALITY AS q (\(names), place)
        CROSS JOIN LATERAL (\(text.namingParameters) OFFSET 0) AS f
        """
    case .insertion(let head, let values, let rest):
      change = "\(head)SELECT \(values.namingParameters) FROM \(rows)\(rest.namingParameters)"
    case .update(let head, let condition):
      change = "\(head.namingParameters)FROM \(rows) WHERE \(condition.namingParameters)"
    case .deletion(let head, let condition):
      change = "\(head)USING \(rows) WHERE \(condition.namingParameters)"
    case .other: return nil
    }
    guard requiresRows else { return change }
    // A division by zero ends the transaction on the server, so that a COMMIT behind it commits nothing.
    return """
      WITH changed AS (\(change) RETURNING 1)
      SELECT 1 / CASE WHEN count(*) = $\(types.count + 1)::bigint THEN 1 ELSE 0 END FROM changed
      """
  }
}

extension String {
  /// What stands before and after the first occurrence of a text.
  fileprivate func components(around separator: String) -> (String, String)? {
    guard let range = firstRange(of: separator) else { return nil }
    return (String(self[..<range.lowerBound]), String(self[range.upperBound...]))
  }

  /// What stands before the bracket that closes one that was opened before this text.
  fileprivate var untilClosed: String? {
    var depth = 1
    for (offset, character) in enumerated() {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if depth == 0 { return String(prefix(offset)) }
    }
    return nil
  }

  /// The items of a list.
  fileprivate var items: [String] {
    split(separator: ",").map { String($0.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()) }
  }

  /// The numbers of its parameters, from 0.
  fileprivate var parameters: [Int] {
    split(separator: "$", omittingEmptySubsequences: false).dropFirst().compactMap {
      Int($0.prefix { $0.isNumber }).map { $0 - 1 }
    }
  }

  /// The text with columns of `q` instead of parameters.
  fileprivate var namingParameters: String { replacing("$", with: "q.p") }
}
