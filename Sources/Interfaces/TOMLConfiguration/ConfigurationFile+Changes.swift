import PaymentPrimitives

extension ConfigurationFile {
  /// One setting or table in which two files differ.
  package struct Change: Hashable, Sendable {
    /// Where it is, for a person: `app[shop].endpoint[backend].url`.
    package let path: String
    /// The same without what stands in brackets: `app[].endpoint[].url`.
    package let pattern: String
  }

  /// Where this file differs from another one, sorted by path. A table that only one of them has is one change: what
  /// it holds is not listed. Values are not told.
  package func changes(from other: ConfigurationFile) -> [Change] {
    let (mine, theirs) = (FlatSettings(root), FlatSettings(other.root))
    let found = Set(mine.all.keys).union(theirs.all.keys).sorted().filter { mine.all[$0] != theirs.all[$0] }
    let tables = found.filter { (mine.all[$0] ?? theirs.all[$0])?.content == .table }
    return found.compactMap { path in
      guard !tables.contains(where: { path.hasPrefix($0 + ".") }) else { return nil }
      return (mine.all[path] ?? theirs.all[path]).map { Change(path: path, pattern: $0.pattern) }
    }
  }
}

/// Every table and value of a configuration by its path. Entries of a list of tables go by their names, so that one
/// that is added before others changes none of them.
private struct FlatSettings {
  struct Entry: Hashable {
    enum Content: Hashable {
      case table
      case value(String)
    }

    let pattern: String
    let content: Content
  }

  private(set) var all: [String: Entry] = [:]

  /// The keys by which the entries of a list are told apart.
  private static let names = ["id", "name", "kid", "key_id", "certificate_serial"]

  init(_ root: TOMLValue) { add(root, at: "", pattern: "") }

  // The parser limits the depth, so recursion is safe.
  private mutating func add(_ value: TOMLValue, at path: String, pattern: String) {
    switch value.content {
    case .table(let entries):
      if !path.isEmpty { all[path] = Entry(pattern: pattern, content: .table) }
      let point = path.isEmpty ? "" : "."
      for entry in entries { add(entry.value, at: path + point + entry.key, pattern: pattern + point + entry.key) }
    case .array(let items) where items.contains { Self.isTable($0) }:
      for (index, item) in items.enumerated() {
        add(item, at: "\(path)[\(Self.name(of: item) ?? "\(index)")]", pattern: pattern + "[]")
      }
    default: all[path] = Entry(pattern: pattern, content: .value(Self.text(value)))
    }
  }

  private static func isTable(_ value: TOMLValue) -> Bool {
    if case .table = value.content { true } else { false }
  }

  private static func name(of item: TOMLValue) -> String? {
    guard case .table(let entries) = item.content else { return nil }
    return names.lazy.compactMap { name in entries.first { $0.key == name } }.compactMap { entry in
      if case .string(let text) = entry.value.content { text } else { nil }
    }.first
  }

  /// The value without its positions, which move with every line above it.
  private static func text(_ value: TOMLValue) -> String {
    switch value.content {
    case .array(let items): "[" + items.map(text).joined(separator: ", ") + "]"
    case .table(let entries): "{" + entries.map { "\($0.key)=\(text($0.value))" }.joined(separator: ", ") + "}"
    case .string(let text), .localTime(let text): "\"\(text)\""
    case .integer(let number): "\(number)"
    case .float(let number): "\(number)"
    case .bool(let truth): "\(truth)"
    case .moment(let moment): moment.iso8601
    }
  }
}
