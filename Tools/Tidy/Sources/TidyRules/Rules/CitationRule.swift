/// Every citation names something that is in the repository.
///
/// - A section sign stands only behind a standard: `RFC 7515`, `X.690`.
/// - No text speaks of pages that were outside of the repository.
/// - A page of the specification that is cited exists, and so does the rule, row or heading that is cited of it.
/// - Numbers of scenarios, attacks and items of the checklist exist.
package enum CitationRule {
  // Each is put together here, because this file is held against the rule, too.
  private static let elsewhere = [
    ["client", "spec"].joined(separator: " "), ["wechat-pay", "spec"].joined(separator: " "),
    ["fault", "catalogue"].joined(separator: " "), ["the", "design"].joined(separator: " "),
    ["shared", "spec"].joined(separator: "/"),
  ]

  package static func findings(in file: SourceFile, _ specification: Specification) -> [Finding] {
    var findings: [Finding] = []
    let phrases = elsewhere.filter { file.text.has($0) }
    let isHeld = isHeldToNumbers(file)
    for (index, line) in file.lines.enumerated() {
      let before = index > 0 ? file.lines[index - 1] : ""
      findings += sections(before, line).map { Finding(file, index + 1, $0) }
      findings += phrases.filter { mentions($0, line) }.map {
        Finding(file, index + 1, "\($0) is not in the repository; instead: a rule of \(Specification.folder)")
      }
      if isHeld {
        findings += numbers(in: line).filter { !specification.numbers.contains($0) }.map {
          Finding(file, index + 1, "\($0) does not exist in \(Specification.folder)")
        }
      }
    }
    return findings + places(in: file, specification)
  }

  /// The scenarios and attacks.
  static let scenarios = (1...20).flatMap { ["S\($0)", "A\($0)"] }

  /// What the specification lacks: each number has one row, and each scenario and attack has a test.
  package static func problems(in pages: [SourceFile], _ tests: [SourceFile]) -> [String] {
    let pages = pages.filter { $0.isIn(Specification.folder) }
    let specification = Specification(pages)
    let expected = scenarios + ChecklistRule.expectedNames
    let cells = Dictionary(grouping: pages.flatMap(\.lines).compactMap(Specification.firstCell)) { $0 }
    let places = (0...5).map { ("matching", "rule \($0)") } + (1...9).map { ("invariants", "invariant \($0)") }
    let cited = Set(tests.flatMap { $0.lines.flatMap { numbers(in: $0) } })
    return expected.filter { cells[$0]?.count != 1 }.map { "\($0) does not have exactly one row" }
      + specification.numbers.subtracting(expected).sorted().map { "\($0) is not a number that anybody expects" }
      + places.filter { specification.places[$0]?.contains($1) != true }.map { "the page \($0) has no \($1)" }
      + scenarios.filter { cited.contains($0) == unbuilt.contains($0) }.map {
        unbuilt.contains($0) ? "a test cites \($0), so it is built" : "no test cites \($0)"
      }
  }

  /// Attacks that nothing defends against yet: their pages say so.
  private static let unbuilt: Set<String> = ["A17"]

  // MARK: section signs

  private static func sections(_ before: String, _ line: String) -> [String] {
    let sign: Character = "\u{A7}"
    guard line.utf8.contains(0xA7), line.contains(sign) else { return [] }
    return line.indices.filter { line[$0] == sign }.compactMap { place in
      let words = (before + " " + line[..<place]).split { !($0.isLetter || $0.isNumber || $0 == ".") }
      let isOfRFC = words.suffix(2).first == "RFC" && words.last?.allSatisfy(\.isNumber) == true
      return isOfRFC || words.last == "X.690"
        ? nil : "a section sign that no standard stands before: \(line[place...].prefix(12))"
    }
  }

  private static func mentions(_ phrase: String, _ line: String) -> Bool {
    line.ranges(of: phrase).contains { range in
      let after = range.upperBound < line.endIndex ? line[range.upperBound] : " "
      return !after.isLetter
    }
  }

  // MARK: numbers

  /// Where numbers are citations. The rules' own tests hold some that do not exist.
  private static func isHeldToNumbers(_ file: SourceFile) -> Bool {
    guard !file.isIn("Tools/Tidy"), file.language != .other || file.path.hasSuffix(".py") else { return false }
    return ["Sources", "Tests", "docs", "Examples"].contains { file.isIn($0) } || file.language == .markdown
  }

  /// The words of a line that have the form of a number and stand alone.
  package static func numbers(in line: String) -> [String] {
    guard mayHaveNumber(line.utf8) else { return [] }
    return line.utf8.split { !isOfWord($0) }.compactMap { word in
      let bare = word.last == UInt8(ascii: ".") ? word.dropLast() : word
      return Specification.isNumber(bare) ? String(Substring(bare)) : nil
    }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "#"):
      true
    default: false
    }
  }

  /// Whether one of the capitals stands before a digit, or `1` before one of the letters.
  static func mayHaveNumber(_ line: String.UTF8View) -> Bool {
    var before: UInt8 = 0
    for byte in line {
      switch before {
      case UInt8(ascii: "S"), UInt8(ascii: "A"), UInt8(ascii: "X"):
        if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { return true }
      case UInt8(ascii: "1"):
        if byte == UInt8(ascii: "A") || byte == UInt8(ascii: "B") { return true }
      default: break
      }
      before = byte
    }
    return false
  }

  // MARK: pages and their rules

  private static func places(in file: SourceFile, _ specification: Specification) -> [Finding] {
    guard file.text.has(".md") else { return [] }
    let isInFolder = file.isIn(Specification.folder)
    return file.lines.enumerated().flatMap { index, line -> [Finding] in
      guard line.has(".md") else { return [] }
      // A citation may go on in the next line of a comment or paragraph.
      let next = index + 1 < file.lines.count ? file.lines[index + 1].drop { " /*#".contains($0) } : ""
      return cited(in: line, next: next, isInFolder: isInFolder).compactMap { page, places in
        guard let defined = specification.places[page] else {
          return Finding(file, index + 1, "\(Specification.folder) has no page \(page)")
        }
        let missing = places.filter { !defined.contains($0) }.joined(separator: ", ")
        return missing.isEmpty
          ? nil : Finding(file, index + 1, "the page \(page) of \(Specification.folder) has no \(missing)")
      }
    }
  }

  /// The pages of the specification that a line cites, each with what is cited of it.
  private static func cited(
    in line: String, next: Substring, isInFolder: Bool
  ) -> [(page: String, places: [String])] {
    let text = line + " " + next
    return text.ranges(of: ".md").compactMap { range in
      guard text[..<range.lowerBound].utf8.count < line.utf8.count else { return nil }
      let name = String(text[..<range.lowerBound].reversed().prefix { $0.isLetter || $0 == "-" }.reversed())
      let before = text[..<range.lowerBound].dropLast(name.count)
      guard before.hasSuffix("specification/") || isInFolder && before.hasSuffix("](") else { return nil }
      guard !name.isEmpty, name != "README" else { return nil }
      let rest = text[range.upperBound...]
      return (name, places(behind: rest.first == ")" ? rest.dropFirst() : rest))
    }
  }

  /// `, rule 2` and `, rules 21 to 23`, `, 4.6`, `, “Delivery”`.
  private static func places(behind text: Substring) -> [String] {
    guard text.hasPrefix(", ") else { return [] }
    let text = text.dropFirst(2)
    if text.first == "“" { return [String(text.dropFirst().prefix { $0 != "”" })] }
    let words = text.prefix(40).split { !($0.isLetter || $0.isNumber || $0 == ".") }
    guard let first = words.first else { return [] }
    if first.first?.isNumber == true, first.contains(".") {
      return [String(first.last == "." ? first.dropLast() : first)]
    }
    let kinds = ["rule", "rules", "row", "rows", "invariant", "invariants"]
    guard kinds.contains(String(first)), words.count > 1, words[1].first?.isNumber == true else { return [] }
    let kind = first.last == "s" ? first.dropLast() : first
    var numbers = [words[1]]
    if words.count > 3, first.last == "s", ["to", "and"].contains(words[2]) { numbers.append(words[3]) }
    return numbers.map { "\(kind) \($0.prefix { $0.isNumber })" }
  }

  // MARK: links

  /// The links of a page of the specification that lead nowhere from its own folder.
  package static func deadLinks(in page: SourceFile, _ paths: Set<String>) -> [Finding] {
    guard page.isIn(Specification.folder) else { return [] }
    return PageRule.prose(of: page).flatMap { number, line in
      ReferenceRule.links(in: line).compactMap { link in
        let isThere = paths.contains(resolved(link, from: page.path))
        return isThere ? nil : Finding(page, number, "the link to \(link) leads nowhere")
      }
    }
  }

  private static func resolved(_ link: String, from page: String) -> String {
    var parts = page.split(separator: "/").dropLast()
    for part in link.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }
}
