/// Swift code in pages is compiled: each block equals a marked region of a file in `Tests/SnippetTests`.
///
/// A region stands between `// snippet: name` and `// snippet: end`. Regions of one name in one file are one piece, in
/// their order, with an empty line between. Indentation that all lines share is left out.
package enum SnippetRule {
  package struct Snippet: Equatable {
    let name: String
    let path: String
    let lines: [String]
  }

  private static let mark = "// snippet: "

  package static func snippets(in file: SourceFile) -> [Snippet] {
    var parts: [String: [[String]]] = [:]
    var names: [String] = []
    var open: String?
    for line in file.lines {
      let text = String(line.drop { $0 == " " })
      if text.hasPrefix(mark) {
        let name = String(text.dropFirst(mark.count))
        open = name == "end" ? nil : name
        guard let open else { continue }
        if parts[open] == nil { names.append(open) }
        parts[open, default: []].append([])
      } else if let open, let last = parts[open]?.indices.last {
        parts[open]?[last].append(line)
      }
    }
    return names.map { name in
      let pieces = parts[name, default: []].map { dedented(trimmed($0)) }
      return Snippet(name: name, path: file.path, lines: Array(pieces.joined(separator: [""])))
    }
  }

  /// Blocks of Swift in pages that no snippet holds.
  package static func findings(in page: SourceFile, _ snippets: [Snippet]) -> [Finding] {
    blocks(of: page).filter { block in !snippets.contains { $0.lines == block.lines } }
      .map { Finding(page, $0.line, "this Swift code is no snippet of Tests/SnippetTests: nothing compiles it") }
  }

  /// Snippets that no page shows.
  package static func idle(_ snippets: [Snippet], in pages: [SourceFile]) -> [String] {
    let shown = pages.flatMap { blocks(of: $0) }.map(\.lines)
    return snippets.filter { !shown.contains($0.lines) }.map { "\($0.path): \($0.name)" }
  }

  /// The blocks of Swift in a page, each with the line where it begins. A block that names its file is another test's:
  /// `Tests/Tools/manual_links.py` compares the two.
  package static func blocks(of page: SourceFile) -> [(line: Int, lines: [String])] {
    var blocks: [(line: Int, lines: [String])] = []
    var isOpen = false
    var isSwift = false
    for (index, line) in page.lines.enumerated() {
      if line.hasPrefix("```") {
        isOpen.toggle()
        let namesFile = index > 0 && page.lines[index - 1].hasPrefix("<!-- from: ")
        isSwift = isOpen && line == "```swift" && !namesFile
        if isSwift { blocks.append((index + 1, [])) }
      } else if isOpen, isSwift {
        blocks[blocks.count - 1].lines.append(line)
      }
    }
    return blocks
  }

  /// Imports that a page does not show although it shows others: whoever copies the code has not got them.
  package static func hiddenImports(in file: SourceFile) -> [Finding] {
    var isOpen = false
    var shown = 0
    var hidden: [Finding] = []
    for (index, line) in file.lines.enumerated() {
      if line.hasPrefix(mark) { isOpen = line != mark + "end" }
      guard line.hasPrefix("import ") else { continue }
      if isOpen { shown += 1 } else { hidden.append(Finding(file, index + 1, "\(line) is hidden from the page")) }
    }
    return shown > 0 ? hidden : []
  }

  private static func trimmed(_ lines: [String]) -> [String] {
    var lines = lines[...]
    while lines.first == "" { lines.removeFirst() }
    while lines.last == "" { lines.removeLast() }
    return Array(lines)
  }

  private static func dedented(_ lines: [String]) -> [String] {
    let indent = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { String($0.dropFirst(indent)) }
  }
}
