/// What the compiler cannot check about concurrency stands in one file of each module that owns a C library
/// (CONVENTIONS 9).
package enum UncheckedRule {
  /// The one file of each such module, with what it holds; and files of tests that hold a thread back.
  static let files: [String: String] = [
    "Sources/Protocols/Cryptography/OpenSSLHandles.swift": "OpenSSL's objects, which may be read by several threads",
    "Sources/Platform/HTTPServer/ServerHandle.swift": "a connection's exchange, handed over by the library's thread",
    "Sources/Services/SQLiteDatabase/ThreadExecutor.swift": "the jobs of one thread, behind a mutex with a condition",
    "Tests/TestDatabases/FaultyDisk.swift": "a file system in C, which has a lock of its own",
  ]

  package static func findings(in file: SourceFile, files: [String: String] = Self.files) -> [Finding] {
    guard file.language == .swift, files[file.path] == nil else { return [] }
    return patterns.matches(in: file.code).map { match in
      Finding(
        file, file.code[match.token].line,
        "\(words[match.pattern]) belongs into the one named file of a module that owns a C library; "
          + "instead: an actor or Mutex")
    }
  }

  private static let words = ["@ unchecked", "nonisolated ( unsafe )", "@ preconcurrency"]
  private static let patterns = TokenPatterns(words.map(TokenPattern.init))

  /// Where the list is wrong: a module that owns no C library, or has two such files.
  package static func listProblems(_ files: [String: String] = Self.files) -> [String] {
    let modules = files.keys.filter { $0.hasPrefix("Sources/") }.map { SourceFile.target(of: $0) ?? $0 }
    let counts = Dictionary(grouping: modules) { $0 }.mapValues(\.count)
    let owners = LayerRule.owners.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    return counts.keys.sorted().filter { counts[$0] != 1 || !owners.contains($0) }
  }

  /// Named files that have nothing of it any more.
  package static func idle(_ files: [String: String], among sources: [SourceFile]) -> [String] {
    files.keys.sorted().filter { path in
      guard let file = sources.first(where: { $0.path == path }) else { return true }
      return patterns.matches(in: file.code).isEmpty
    }
  }
}
