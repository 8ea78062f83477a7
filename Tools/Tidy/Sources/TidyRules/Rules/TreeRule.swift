/// Every target has files, and every source file has a target.
package enum TreeRule {
  package static func problems(paths: Set<String>, targets: Set<String>, systemLibraries: Set<String>) -> [String] {
    var problems: [String] = []
    var seen: Set<String> = []
    for path in paths.sorted() {
      let parts = path.split(separator: "/").map(String.init)
      if path.hasSuffix(".swift"), ["Clients", "Examples"].contains(parts[0]), let target = SourceFile.target(of: path)
      {
        seen.insert(target)
      }
      guard let first = parts.first, ["Sources", "Tests"].contains(first) else { continue }
      // What tests run in other languages: the vendors' own libraries, and the examples.
      if parts.dropLast() == ["Tests", "Tools"], path.hasSuffix(".py") || path.hasSuffix(".mjs") { continue }
      // What tests read: databases that earlier versions made, and the list of mutants.
      if parts.dropLast() == ["Tests", "Databases"], path.hasSuffix(".sql") { continue }
      if parts.dropLast() == ["Tests", "Mutants"], path.hasSuffix(".toml") { continue }
      guard let target = SourceFile.target(of: path), targets.contains(target) else {
        problems.append("\(path) belongs to no target")
        continue
      }
      let isSource = ["swift", "cpp", "c"].contains(path.split(separator: ".").last.map(String.init))
      if isSource || systemLibraries.contains(target) { seen.insert(target) }
    }
    // The package manager cannot build two files of one name in one target.
    let sources = paths.filter { $0.hasSuffix(".swift") && SourceFile.target(of: $0) != nil }
    let names = Dictionary(grouping: sources) { path in
      "\(SourceFile.target(of: path) ?? "") has two files \(SourceFile.name(of: path))"
    }
    problems += names.filter { $0.value.count > 1 }.keys.sorted()
    problems += targets.subtracting(seen).sorted().map { "\($0) is a target without a source file" }
    return problems
  }
}
