/// Every path and symbol that a page names exists.
///
/// In a page, code in single backticks that has a `/` within or a known ending is a path, from the root, `Sources` or
/// the page's folder (`*` stands for any name, `…` ends it). Code in capitalized camel case, alone or with members
/// behind points, is a symbol of ours. Words of vendors and of the platform stand in `docs/vocabulary.md`, in the
/// tables of its last chapters.
package enum ReferenceRule {
  static let endings: Set<String> = [
    "swift", "md", "sh", "h", "cpp", "c", "toml", "json", "txt", "yml", "py", "modulemap", "pem", "html", "jws",
  ]

  /// What pages may name, besides what the tree holds.
  package struct Known: Sendable {
    let paths: Set<String>
    let declarations: Declarations
    /// Words of vendors and of the platform.
    let foreign: Set<String>
    /// Names of targets and products.
    let modules: Set<String>

    package init(paths: Set<String>, declarations: Declarations, foreign: Set<String>, modules: Set<String>) {
      self.paths = paths
      self.declarations = declarations
      self.foreign = foreign
      self.modules = modules
    }
  }

  package static func findings(in file: SourceFile, _ known: Known) -> [Finding] {
    guard file.language == .markdown else { return [] }
    return PageRule.prose(of: file).flatMap { number, line in
      codeSpans(in: line).compactMap { span in
        problem(with: span, on: file.path, known).map { Finding(file, number, $0) }
      }
        + links(in: line).compactMap { link in
          exists(link, from: file.path, known.paths) ? nil : Finding(file, number, "the link to \(link) leads nowhere")
        }
    }
  }

  private static func problem(with span: String, on page: String, _ known: Known) -> String? {
    if isPath(span) {
      return exists(span, from: page, known.paths) ? nil : "the path \(span) does not exist"
    }
    guard isSymbol(span) else { return nil }
    let first = String(span.prefix { $0 != "." && $0 != "(" })
    guard !known.foreign.contains(span), !known.foreign.contains(first), !known.modules.contains(span) else {
      return nil
    }
    return known.declarations.contains(span)
      ? nil : "the symbol \(span) does not exist; if it is a vendor's, it belongs into docs/vocabulary.md"
  }

  /// The parts of a line in single backticks.
  package static func codeSpans(in line: String) -> [String] {
    let parts = line.split(separator: "`", omittingEmptySubsequences: false)
    return parts.enumerated().filter { $0.offset % 2 == 1 && $0.offset < parts.count - 1 }.map { String($0.element) }
      .filter { !$0.isEmpty }
  }

  /// The targets of links that lead into the tree.
  package static func links(in line: String) -> [String] {
    line.ranges(of: "](").compactMap { range in
      let target = line[range.upperBound...].prefix { $0 != ")" && $0 != "#" && $0 != " " }
      return target.isEmpty || target.contains("://") || target.hasPrefix("mailto:") ? nil : String(target)
    }
  }

  package static func isPath(_ span: String) -> Bool {
    guard span.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._+-/*".contains($0)) || $0 == "…" }),
      let first = span.first, first != "/", first != "-"
    else { return false }
    // Our own output, and media types.
    let media: Set<String> = ["application", "text", "image"]
    let parts = span.split(separator: "/").map(String.init)
    guard !span.hasPrefix(".build/"), !span.hasPrefix("data/"), !media.contains(parts.first ?? "") else { return false }
    if parts.count > 1 || span.hasSuffix("/") { return true }
    let pieces = span.split(separator: ".")
    return pieces.count > 1 && endings.contains(String(pieces.last ?? "")) && !span.hasPrefix(".")
  }

  private static func exists(_ path: String, from page: String, _ paths: Set<String>) -> Bool {
    let folder = page.split(separator: "/").dropLast().joined(separator: "/")
    return [path, "Sources/" + path, folder.isEmpty ? path : folder + "/" + path].contains { candidate in
      guard let wanted = normalized(candidate) else { return false }
      if wanted.contains("*") || wanted.contains("…") { return paths.contains { fits($0, wanted) } }
      // A file's name alone names it wherever it lies.
      if !path.contains("/"), paths.contains(where: { $0.hasSuffix("/" + path) }) { return true }
      return paths.contains(wanted) || paths.contains { $0.hasPrefix(wanted + "/") }
    }
  }

  /// A path without `.` and `..`; nil when it leaves the tree.
  private static func normalized(_ path: String) -> String? {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." {
        guard parts.popLast() != nil else { return nil }
      } else {
        parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }

  /// Whether a path begins with the parts of a pattern.
  private static func fits(_ path: String, _ pattern: String) -> Bool {
    let wanted = pattern.split(separator: "/")
    let parts = path.split(separator: "/")
    guard parts.count >= wanted.count else { return false }
    return zip(parts, wanted).allSatisfy { part, want in
      let pieces = want.split(omittingEmptySubsequences: false) { $0 == "*" || $0 == "…" }
      guard pieces.count > 1 else { return part == want }
      return part.hasPrefix(pieces[0]) && part.hasSuffix(pieces[pieces.count - 1])
    }
  }

  package static func isSymbol(_ span: String) -> Bool {
    guard let first = span.first, first.isASCII, first.isUppercase, span.contains(where: \.isLowercase) else {
      return false
    }
    let name = span.prefix { $0 != "(" }
    let rest = span.dropFirst(name.count)
    return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "_") } && name.last != "."
      && (rest.isEmpty || rest.hasSuffix(")") && !rest.contains(" "))
  }
}
