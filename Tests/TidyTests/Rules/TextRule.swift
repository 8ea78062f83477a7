/// What holds for every text file: no path of somebody's machine, no registry's host, no white space at line ends.
enum TextRule {
  // Each is put together here, because this file is held against the rule, too.
  private static let machineFolders = ["work", "root", "home", "Users"].map { "/" + $0 }
  private static let registries =
    [
      ["pypi", "org"], ["pythonhosted", "org"], ["npmjs", "org"], ["npmjs", "com"], ["yarnpkg", "com"],
      ["deb", "debian", "org"], ["archive", "ubuntu", "com"], ["security", "debian", "org"],
      ["snapshot", "debian", "org"],
      ["crates", "io"], ["rubygems", "org"], ["maven", "org"], ["docker", "io"], ["ghcr", "io"], ["quay", "io"],
      ["proxy", "golang", "org"], ["swiftpackageregistry", "com"], ["formulae", "brew", "sh"], ["nuget", "org"],
    ].map { $0.joined(separator: ".") }

  static func findings(in file: SourceFile) -> [Finding] {
    var findings: [Finding] = []
    for (index, line) in file.lines.enumerated() {
      for folder in machineFolders where hasPath(line, folder) {
        findings.append(Finding(file, index + 1, "\(folder)/… is a path of one machine; instead: a relative path"))
      }
      for registry in registries where line.contains(registry) {
        findings.append(
          Finding(file, index + 1, "\(registry) is a registry's host; instead: the client's own configuration"))
      }
      if line.last == " " || line.last == "\t" {
        findings.append(Finding(file, index + 1, "white space at the end of the line"))
      }
      if line.contains("\r") {
        findings.append(Finding(file, index + 1, "a carriage return; lines end in a line feed alone"))
      }
    }
    if !file.text.isEmpty, file.text.last != "\n" {
      findings.append(Finding(file, file.lines.count, "the last line has no end"))
    }
    return findings
  }

  /// Whether the folder stands there as the beginning of a path: not within another path, and with something behind it.
  private static func hasPath(_ line: String, _ folder: String) -> Bool {
    line.ranges(of: folder).contains { range in
      let before = range.lowerBound > line.startIndex ? line[line.index(before: range.lowerBound)] : nil
      let isInside = before.map { $0.isLetter || $0.isNumber || ".)}>_-/".contains($0) } ?? false
      let after = range.upperBound < line.endIndex ? line[range.upperBound] : nil
      return !isInside
        && (after == "/" || after == nil
          || after.map { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" } == true)
    }
  }
}

/// What holds for pages.
enum PageRule {
  static func findings(in file: SourceFile) -> [Finding] {
    guard file.language == .markdown else { return [] }
    let titles = headings(in: file).filter { $0.level == 1 }
    guard titles.count != 1 else { return [] }
    return [Finding(file, titles.dropFirst().first?.line ?? 1, "\(titles.count) titles; a page has exactly one")]
  }

  /// Two pages that are one page in two languages have the same headings, level by level, and the same code.
  static func differences(_ first: SourceFile, _ second: SourceFile) -> [String] {
    var differences: [String] = []
    let levels = (headings(in: first).map(\.level), headings(in: second).map(\.level))
    if levels.0 != levels.1 {
      differences.append("\(first.path) has headings of levels \(levels.0), \(second.path) of \(levels.1)")
    }
    let blocks = (codeBlocks(in: first), codeBlocks(in: second))
    if blocks.0.count != blocks.1.count {
      differences.append("\(first.path) has \(blocks.0.count) code blocks, \(second.path) \(blocks.1.count)")
    }
    for (index, (a, b)) in zip(blocks.0, blocks.1).enumerated() where commands(a) != commands(b) {
      differences.append("code block \(index + 1) of \(first.path) and \(second.path) runs different commands")
    }
    return differences
  }

  struct Heading: Equatable {
    let level: Int
    let text: String
    let line: Int
  }

  static func headings(in file: SourceFile) -> [Heading] {
    prose(of: file).compactMap { number, line in
      let level = line.prefix { $0 == "#" }.count
      guard (1...6).contains(level), line.dropFirst(level).first == " " else { return nil }
      return Heading(level: level, text: String(line.dropFirst(level + 1)), line: number)
    }
  }

  /// The numbered lines outside of code blocks.
  static func prose(of file: SourceFile) -> [(number: Int, line: String)] {
    var isInCode = false
    return file.lines.enumerated().compactMap { index, line in
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        isInCode.toggle()
        return nil
      }
      return isInCode ? nil : (index + 1, line)
    }
  }

  private static func codeBlocks(in file: SourceFile) -> [[String]] {
    var blocks: [[String]] = []
    var isInCode = false
    for line in file.lines {
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        if !isInCode { blocks.append([]) }
        isInCode.toggle()
      } else if isInCode {
        blocks[blocks.count - 1].append(line)
      }
    }
    return blocks
  }

  /// The commands of a block: comments and shown output may be in the page's language.
  private static func commands(_ block: [String]) -> [String] {
    block.filter {
      $0.hasPrefix("$ ") || $0.hasPrefix("make ") || $0.hasPrefix("swift ") || $0.hasPrefix("counterfoil ")
    }
    .map { $0.prefix { $0 != "#" }.split(separator: " ").joined(separator: " ") }
  }
}

/// Every target has files, and every source file has a target.
enum TreeRule {
  static func problems(paths: Set<String>, targets: Set<String>, systemLibraries: Set<String>) -> [String] {
    var problems: [String] = []
    var seen: Set<String> = []
    for path in paths.sorted() {
      let parts = path.split(separator: "/").map(String.init)
      if path.hasSuffix(".swift"), parts.first == "Examples", let target = SourceFile(path, "").target {
        seen.insert(target)
      }
      guard let first = parts.first, ["Sources", "Tests"].contains(first) else { continue }
      // What tests run in other languages: the vendors' own libraries, and the examples.
      if parts.dropLast() == ["Tests", "Tools"], path.hasSuffix(".py") || path.hasSuffix(".mjs") { continue }
      // What tests read: databases that earlier versions made, and the list of mutants.
      if parts.dropLast() == ["Tests", "Databases"], path.hasSuffix(".sql") { continue }
      if parts.dropLast() == ["Tests", "Mutants"], path.hasSuffix(".toml") { continue }
      guard let target = SourceFile(path, "").target, targets.contains(target) else {
        problems.append("\(path) belongs to no target")
        continue
      }
      let isSource = ["swift", "cpp", "c"].contains(path.split(separator: ".").last.map(String.init))
      if isSource || systemLibraries.contains(target) { seen.insert(target) }
    }
    // The package manager cannot build two files of one name in one target.
    let sources = paths.filter { $0.hasSuffix(".swift") }.map { SourceFile($0, "") }.filter { $0.target != nil }
    let names = Dictionary(grouping: sources) { "\($0.target ?? "") has two files \($0.name)" }
    problems += names.filter { $0.value.count > 1 }.keys.sorted()
    problems += targets.subtracting(seen).sorted().map { "\($0) is a target without a source file" }
    return problems
  }
}
