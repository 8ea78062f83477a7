/// The symbols of the platform that the client uses, each with the versions of Apple's systems that brought it.
package struct AvailabilityTable: Sendable {
  package static let path = "Tools/Tidy/availability.txt"

  struct Row: Sendable {
    let symbol: String
    let line: Int
    /// Without those systems that never had it.
    let since: [System: Version]
  }

  private(set) var rows: [String: Row] = [:]
  /// What is wrong with the table itself.
  private(set) var problems: [Finding] = []

  package init(_ text: String) {
    var module = ""
    var last = ""
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: true).map(String.init)
      if parts.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("[") {
        module = String(line)
        last = ""
        continue
      }
      func complain(_ text: String) { problems.append(Finding(Self.path, index + 1, text)) }
      guard parts.count >= 2, !module.isEmpty, let since = Self.versions(Array(parts.dropFirst())) else {
        complain("a row is: symbol, tab, `always` or one version for each of \(Self.columns)")
        continue
      }
      if parts[0] <= last { complain("\(parts[0]) stands behind \(last)") }
      last = parts[0]
      let row = Row(symbol: parts[0], line: index + 1, since: since)
      if rows.updateValue(row, forKey: parts[0]) != nil { complain("\(parts[0]) stands here twice") }
    }
  }

  private static let columns = System.allCases.map(\.rawValue).joined(separator: ", ")

  private static func versions(_ columns: [String]) -> [System: Version]? {
    if columns == ["always"] {
      return Dictionary(uniqueKeysWithValues: System.allCases.map { ($0, Version(0)) })
    }
    guard columns.count == System.allCases.count else { return nil }
    var since: [System: Version] = [:]
    for (system, text) in zip(System.allCases, columns) where text != "-" {
      guard let version = Version(text) else { return nil }
      since[system] = version
    }
    return since
  }
}
