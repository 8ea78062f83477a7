/// What stands in for Apple's frameworks is for tests on Linux alone: no product carries it.
enum StandInRule {
  /// What is wrong with a manifest.
  static func problems(in file: SourceFile) -> [String] {
    let targets = reach(in: file)
    var problems: [String] = []
    let products = PackageManifest.products(in: file, of: ["library", "executable"]) { !isElsewhere($0, in: file) }
    for (product, roots) in products.sorted(by: { $0.key < $1.key }) {
      for standIn in standIns(reachedFrom: roots, targets) {
        problems.append("the product \(product) carries the stand-in \(standIn)")
      }
    }
    for program in programsOutsideTests(in: file) {
      for standIn in standIns(reachedFrom: [program], targets) {
        problems.append("the program \(program) carries the stand-in \(standIn) and is none of the tests'")
      }
    }
    for name in FloorTable.standIns.sorted() where !isGuarded(name, in: file) {
      problems.append("\(name) is declared outside of #if os(Linux), or not at all")
    }
    return problems
  }

  private static func standIns(reachedFrom roots: Set<String>, _ targets: [String: Set<String>]) -> [String] {
    var reached: Set<String> = []
    var next = roots
    while let target = next.popFirst() {
      guard reached.insert(target).inserted else { continue }
      next.formUnion(targets[target] ?? [])
    }
    return reached.intersection(FloorTable.standIns).sorted()
  }

  /// SwiftPM makes a program of each executable target, also of one that no product names.
  private static func programsOutsideTests(in file: SourceFile) -> [String] {
    file.code.indices.filter { file.code[$0].is("executableTarget") }.compactMap { call in
      let end = file.code[(call + 1)...].firstIndex { $0.is("executableTarget") } ?? file.code.endIndex
      let texts = file.code[call..<end].filter { $0.kind == .text }.map(\.text)
      guard let name = texts.first else { return nil }
      return texts.contains { $0 == "Tests/\(name)" } ? nil : name
    }
  }

  /// The dependencies of each target; whoever adds `standIns` depends on all of them.
  private static func reach(in file: SourceFile) -> [String: Set<String>] {
    var targets = PackageManifest.targets(in: file)
    for index in file.code.indices where file.code[index].is("standIns") {
      // The declaration in which the word stands begins with the nearest name before it that is a target's.
      let before = file.code[..<index].reversed()
      guard let call = before.first(where: { $0.is("module") || $0.is("tests") || $0.is("let") }), !call.is("let"),
        let start = file.code[..<index].lastIndex(where: { $0.is("module") || $0.is("tests") }),
        start + 2 < index, file.code[start + 2].kind == .text
      else { continue }
      targets[file.code[start + 2].text, default: []].formUnion(FloorTable.standIns)
    }
    return targets
  }

  /// Whether a line stands in the `#else` of `#if os(Linux)`.
  private static func isElsewhere(_ line: Int, in file: SourceFile) -> Bool { region(of: line, in: file) == "#else" }

  private static func isGuarded(_ name: String, in file: SourceFile) -> Bool {
    let lines = file.lines.indices.filter { file.lines[$0].contains("name: \"\(name)\"") }
    return !lines.isEmpty && lines.allSatisfy { region(of: $0 + 1, in: file) == "#if os(Linux)" }
  }

  /// The directive that governs a line, counted from 1; nil outside of any.
  private static func region(of line: Int, in file: SourceFile) -> String? {
    var region: String?
    for text in file.lines.prefix(line) {
      if text.hasPrefix("#if") || text.hasPrefix("#else") { region = text }
      if text.hasPrefix("#endif") { region = nil }
    }
    return region
  }
}
