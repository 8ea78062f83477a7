/// Every anchor that a link names exists in its page.
package enum AnchorRule {
  package static func findings(among pages: [SourceFile]) -> [Finding] {
    let known = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, anchors(in: $0)) })
    return pages.flatMap { page in
      PageRule.prose(of: page).flatMap { number, line in
        links(in: line).compactMap { link in
          guard let target = target(of: link.path, from: page.path), let anchors = known[target],
            !anchors.contains(link.anchor)
          else { return nil }
          return Finding(page, number, "\(target) has no anchor \(link.anchor)")
        }
      }
    }
  }

  /// All anchors of a page: those of its headings, and those that are written.
  package static func anchors(in page: SourceFile) -> Set<String> {
    Set(PageRule.headings(in: page).map(anchor)).union(
      PageRule.prose(of: page).flatMap { explicitAnchors(in: $0.line) })
  }

  /// The anchor that a heading gets: small letters, digits, low lines, and a dash for each space.
  static func anchor(of heading: PageRule.Heading) -> String {
    String(
      heading.text.lowercased().compactMap { character in
        character == " " ? "-" : character.isLetter || character.isNumber || "-_".contains(character) ? character : nil
      })
  }

  static func explicitAnchors(in line: String) -> [String] {
    line.ranges(of: "<a id=\"").map { String(line[$0.upperBound...].prefix { $0 != "\"" }) }
  }

  private static func links(in line: String) -> [(path: String, anchor: String)] {
    line.ranges(of: "](").compactMap { range in
      let target = line[range.upperBound...].prefix { $0 != ")" && $0 != " " }
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[1].isEmpty, !target.contains("://") else { return nil }
      return (String(parts[0]), String(parts[1]))
    }
  }

  /// The page of the tree that a link leads to; an empty path is the page itself.
  private static func target(of path: String, from page: String) -> String? {
    guard !path.isEmpty else { return page }
    var parts = page.split(separator: "/").dropLast()
    for part in path.split(separator: "/") where part != "." {
      if part == ".." {
        guard parts.popLast() != nil else { return nil }
      } else {
        parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }
}
