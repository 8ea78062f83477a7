/// What holds for every text file: no path of a developer's machine, no registry's host, no white space at line ends.
package enum TextRule {
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

  package static func findings(in file: SourceFile) -> [Finding] {
    // Seeds are bytes that a parser is fed with.
    guard !file.isIn("Fuzzers/Seeds") else { return [] }
    var findings: [Finding] = []
    let folders = machineFolders.filter { file.text.has($0) }
    let hosts = registries.filter { file.text.has($0) }
    for (index, line) in file.lines.enumerated() {
      for folder in folders where hasPath(line, folder) {
        findings.append(Finding(file, index + 1, "\(folder)/… is a path of one machine; instead: a relative path"))
      }
      for registry in hosts where line.has(registry) {
        findings.append(
          Finding(file, index + 1, "\(registry) is a registry's host; instead: the client's own configuration"))
      }
      if line.utf8.last == UInt8(ascii: " ") || line.utf8.last == UInt8(ascii: "\t") {
        findings.append(Finding(file, index + 1, "white space at the end of the line"))
      }
      if line.utf8.contains(UInt8(ascii: "\r")) {
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
