/// A module imports only what `Package.swift` declares for it, only what the table of floors allows, and only from
/// lower floors (CONVENTIONS 11).
enum ImportRule {
  /// What is wrong with the `import` lines of a file.
  static func findings(
    in file: SourceFile, table: [String: FloorTable.Row] = FloorTable.all, manifest: [String: Set<String>]
  ) -> [Finding] {
    guard let target = file.target else { return [] }
    switch file.language {
    case .swift: break
    case .c: return includes(in: file, target)
    case .markdown, .shell, .other: return []
    }
    guard let row = table[target] else { return [Finding(file, 1, "the target \(target) has no row in FloorTable")] }
    return imports(in: file).compactMap { name, line in
      if row.system.contains(name) { return nil }
      guard row.modules.contains(name) else {
        return Finding(file, line, "\(target) must not import \(name): FloorTable does not allow it")
      }
      guard manifest[target]?.contains(name) == true else {
        return Finding(file, line, "\(target) imports \(name), which Package.swift does not declare for it")
      }
      return nil
    }
  }

  /// The modules that a Swift file imports: `import A`, `public import A`, `import struct A.B`; with `#if` or without.
  static func imports(in file: SourceFile) -> [(name: String, line: Int)] {
    let kinds: Set<String> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
    return file.code.indices.compactMap { index in
      guard file.code[index].is("import"), index == 0 || !file.code[index - 1].is("."), index + 1 < file.code.count
      else {
        return nil
      }
      var name = file.code[index + 1]
      if kinds.contains(name.text), index + 2 < file.code.count { name = file.code[index + 2] }
      return (name.text, file.code[index].line)
    }
  }

  /// A library's headers are included by its own target and its shim alone.
  private static func includes(in file: SourceFile, _ target: String) -> [Finding] {
    let owners: [(prefix: String, targets: Set<String>)] = [
      ("toml++/", ["CTOML", "CTOMLPlusPlus"]), ("boost/", ["CHTTPServer", "CBoost"]),
      ("openssl/", ["COpenSSL", "CHTTPServer"]), ("sqlite3", ["CSQLite", "CFaultyDisk"]), ("curl/", ["CCurl"]),
    ]
    return file.lines.enumerated().flatMap { index, line -> [Finding] in
      guard let start = line.firstRange(of: "#include <")?.upperBound, line.hasPrefix("#include") else { return [] }
      let header = line[start...]
      return owners.filter { header.hasPrefix($0.prefix) && !$0.targets.contains(target) }.map {
        Finding(file, index + 1, "\(target) must not include <\($0.prefix)…>: it belongs to \($0.targets.sorted())")
      }
    }
  }

  /// Where the table itself is wrong: a row that goes up, or a library behind two modules.
  static func tableProblems(_ table: [String: FloorTable.Row] = FloorTable.sources) -> [String] {
    let floors = FloorTable.floors
    var problems: [String] = []
    for (floor, modules) in floors.enumerated() {
      let below = Set(floors[..<floor].joined())
      for module in modules {
        let libraries = Set(FloorTable.libraries.filter { $0.value == module }.keys)
        let isProgram = floor == floors.count - 1
        let doors = isProgram ? FloorTable.doors : FloorTable.appDoors[module] ?? []
        let allowed = below.union(libraries).union(doors)
        for wrong in (table[module]?.modules ?? []).subtracting(allowed).sorted() {
          problems.append("\(module) on floor \(floor) must not reach \(wrong)")
        }
      }
    }
    for door in FloorTable.doors.sorted() {
      let libraries = Set(FloorTable.libraries.filter { $0.value == door }.keys)
      let allowed = Set(floors[0]).union(["HTTPMessages"]).union(libraries)
      for wrong in (table[door]?.modules ?? []).subtracting(allowed).sorted() {
        problems.append("the door \(door) must not reach \(wrong)")
      }
    }
    let placed = Set(floors.joined()).union(FloorTable.doors)
    problems += placed.symmetricDifference(Set(table.keys)).sorted().map { "\($0) has a row or a floor, but not both" }
    return problems
  }

  /// Where `Package.swift` and the table differ: modules exactly, tests may declare less than they may import.
  static func manifestProblems(_ manifest: [String: Set<String>]) -> [String] {
    var problems: [String] = []
    let expected = Set(FloorTable.sources.keys).union(FloorTable.libraries.keys).union(FloorTable.systemLibraries)
    for (target, declared) in manifest.sorted(by: { $0.key < $1.key }) {
      if let row = FloorTable.sources[target] {
        problems += declared.symmetricDifference(row.modules).sorted().map {
          "\(target): Package.swift and FloorTable differ about \($0)"
        }
      } else if let row = FloorTable.tests[target] {
        problems += declared.subtracting(row.modules).sorted().map {
          "\(target): Package.swift declares \($0), which FloorTable does not allow"
        }
      } else if let libraries = FloorTable.shims[target] {
        problems += declared.symmetricDifference(libraries).sorted().map {
          "\(target): Package.swift and FloorTable differ about \($0)"
        }
      } else if let row = FloorTable.standIn(target) {
        problems += declared.symmetricDifference(row.modules).sorted().map {
          "\(target): Package.swift and FloorTable differ about \($0)"
        }
      } else if !expected.contains(target) {
        problems.append("\(target) is in Package.swift and not in FloorTable")
      }
    }
    problems += expected.subtracting(manifest.keys).sorted().map { "\($0) is in FloorTable and not in Package.swift" }
    return problems
  }
}
