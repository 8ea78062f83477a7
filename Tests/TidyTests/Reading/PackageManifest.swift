/// What `Package.swift` declares, read off its text: running the package manager inside a test would wait for itself.
///
/// It understands the forms that our manifest uses: `module("Name", […])`, `tests("Name", […])`, and `.target(name:
/// "Name", dependencies: […])` with its kin.
enum PackageManifest {
  /// The dependencies of each target by name.
  static func targets(in file: SourceFile) -> [String: Set<String>] {
    let code = file.code
    var targets: [String: Set<String>] = [:]
    for index in code.indices where code[index].kind == .word && index + 1 < code.count && code[index + 1].is("(") {
      guard let names = targetAndDependencies(code, index) else { continue }
      // A dependency with a condition looks like a target without dependencies: it takes nothing away.
      targets[names.target, default: []].formUnion(names.dependencies)
    }
    return targets
  }

  private static let calls: Set<String> = [
    "module", "tests", "target", "testTarget", "executableTarget", "systemLibrary",
  ]

  private static func targetAndDependencies(
    _ code: [Token], _ call: Int
  ) -> (target: String, dependencies: Set<String>)? {
    guard calls.contains(code[call].text), call == 0 || !code[call - 1].is("func") else { return nil }
    let isOurs = code[call].text == "module" || code[call].text == "tests"
    guard isOurs || (call > 0 && code[call - 1].is(".")) else { return nil }
    var name: String?
    var dependencies: Set<String> = []
    var depth = 0
    var label = isOurs ? "dependencies" : ""
    for index in (call + 1)..<code.count {
      let token = code[index]
      if token.is("(") || token.is("[") { depth += 1 }
      if token.is(")") || token.is("]") { depth -= 1 }
      if depth == 0 { break }
      if token.kind == .word, depth == 1, index + 1 < code.count, code[index + 1].is(":") { label = token.text }
      guard token.kind == .text else { continue }
      if depth == 1, name == nil, isOurs || label == "name" {
        name = token.text
      } else if depth == 2, label == "dependencies" {
        dependencies.insert(token.text)
      }
    }
    return name.map { ($0, dependencies) }
  }

  /// The targets of each product of these kinds.
  ///
  /// - Parameter counts: whether a product that is declared on that line is one.
  static func products(
    in file: SourceFile, of kinds: Set<String>, where counts: (Int) -> Bool = { _ in true }
  ) -> [String: Set<String>] {
    var products: [String: Set<String>] = [:]
    for index in file.code.indices.dropFirst()
    where kinds.contains(file.code[index].text) && file.code[index].kind == .word && file.code[index - 1].is(".")
      && counts(file.code[index].line)
    {
      var texts: [String] = []
      var depth = 0
      for token in file.code[(index + 1)...] {
        if token.is("(") { depth += 1 }
        if token.is(")") { depth -= 1 }
        if depth == 0 { break }
        if token.kind == .text { texts.append(token.text) }
      }
      guard let name = texts.first else { continue }
      products[name] = Set(texts.dropFirst())
    }
    return products
  }
}
