/// The picture of the floors, as pages draw it, shows every module of the table on its floor, and no other.
///
/// A row begins with its number, or with `doors` or `stand-ins`, in the page's language; names stand between `·`, with
/// a remark in parentheses or behind two spaces. A row without a beginning goes on with the one above.
enum PictureRule {
  /// The rows of the table as a picture has them: `SimulationKit` and the commands stand side by side in it.
  static var expected: [String: Set<String>] {
    let floors = FloorTable.floors
    var rows = ["doors": FloorTable.doors, "stand-ins": FloorTable.standIns]
    for number in 0..<5 { rows["\(number)"] = Set(floors[number]) }
    rows["5"] = Set(floors[5] + floors[6])
    rows["6"] = Set(floors[7])
    return rows
  }

  private static let beginnings = ["doors": "doors", "门": "doors", "stand-ins": "stand-ins", "替身": "stand-ins"]

  /// What a page's picture shows wrongly; a page without a picture shows nothing at all.
  static func problems(in page: SourceFile, expected: [String: Set<String>] = expected) -> [String] {
    let shown = rows(of: page)
    return Set(expected.keys).union(shown.keys).sorted().flatMap { row in
      let names = shown[row, default: []]
      let wanted = expected[row, default: []]
      return wanted.subtracting(names).sorted().map { "\(page.path): row \(row) lacks \($0)" }
        + names.subtracting(wanted).sorted().map { "\(page.path): row \(row) shows \($0), which is not there" }
    }
  }

  /// The rows of the block that begins with the highest floor.
  static func rows(of page: SourceFile) -> [String: Set<String>] {
    guard let start = page.lines.firstIndex(where: { $0.hasPrefix("6  ") }) else { return [:] }
    var rows: [String: Set<String>] = [:]
    var row: String?
    for line in page.lines[start...].prefix(while: { !$0.hasPrefix("```") }) {
      var cells = columns(line)
      if line.first != " " {
        guard let first = cells.first else { continue }
        let word = first.prefix { $0 != " " }
        row = word.allSatisfy(\.isNumber) ? String(word) : beginnings[String(word)]
        // A floor has its number and its name before the modules.
        cells.removeFirst(row == String(word) && word.allSatisfy(\.isNumber) ? 2 : 1)
      }
      guard let row, let modules = cells.first else { continue }
      rows[row, default: []].formUnion(names(in: modules))
    }
    return rows
  }

  /// The cells of a line, which stand two spaces or more apart.
  private static func columns(_ line: String) -> [String] {
    line.split(separator: "  ").map { cell in
      var cell = cell
      while cell.first == " " { cell.removeFirst() }
      return String(cell)
    }.filter { !$0.isEmpty }
  }

  private static func names(in cell: String) -> Set<String> {
    Set(
      cell.split(separator: "·").compactMap { part in
        let name = part.drop { $0 == " " }.prefix { $0 != " " && $0 != "(" && $0 != "（" }
        return name.isEmpty ? nil : String(name)
      })
  }
}
