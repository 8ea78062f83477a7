/// Every public declaration is documented, also the cases of public enumerations and the requirements of public
/// protocols (CONVENTIONS 3). The rule of swift-format ignores these two, and wants documentation of witnesses.
package enum DocumentationRule {
  /// Witnesses have the meaning that their protocol gives them.
  static let witnesses: Set<String> = [
    "==", "<", "hash", "description", "debugDescription", "customMirror", "rawValue", "init(rawValue",
    "init(stringLiteral", "init(dictionaryLiteral", "init(arrayLiteral", "init(integerLiteral", "encode", "init(from",
    "meaning", "remedy", "retry", "enqueue", "asUnownedSerialExecutor", "checkIsolated",
  ]

  package static func findings(in file: SourceFile) -> [Finding] {
    // The shims declare what Apple documents.
    guard file.isIn("Sources"), !file.isIn("Sources/Simulators") else { return [] }
    return file.facts.undocumented.map { Finding(file, $0.line, "\($0.name) is public and has no documentation") }
  }
}
