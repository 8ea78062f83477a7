/// What the compiler cannot check about concurrency stands in one file of each module that owns a C library
/// (CONVENTIONS 9).
enum UncheckedRule {
  /// The one file of each such module. PaymentModel and its like have none, for ever.
  static let files: [String: String] = [
    "Cryptography": "Sources/Cryptography/OpenSSLHandles.swift",
    "SQLiteStore": "Sources/SQLiteStore/ThreadExecutor.swift",
    "MachineTests": "Tests/MachineTests/Stores/FaultyDisk.swift",
  ]

  static func findings(in file: SourceFile, files: [String: String] = Self.files) -> [Finding] {
    guard file.language == .swift else { return [] }
    return file.code.indices.compactMap { index in
      guard let what = unchecked(file.code, index), files[file.target ?? ""] != file.path else { return nil }
      return Finding(
        file, file.code[index].line,
        "\(what) belongs into the one named file of a module that owns a C library; instead: an actor or Mutex")
    }
  }

  private static func unchecked(_ code: [Token], _ index: Int) -> String? {
    func next(_ offset: Int, _ text: String) -> Bool {
      index + offset < code.count && code[index + offset].is(text)
    }
    if code[index].is("@"), next(1, "unchecked") { return "@unchecked Sendable" }
    if code[index].is("nonisolated"), next(1, "("), next(2, "unsafe") { return "nonisolated(unsafe)" }
    if code[index].is("@"), next(1, "preconcurrency") { return "@preconcurrency" }
    return nil
  }

  /// Named files that have nothing of it any more.
  static func idle(_ named: [String: String], among sources: [SourceFile]) -> [String] {
    named.values.sorted().filter { path in
      guard let file = sources.first(where: { $0.path == path }) else { return true }
      return !file.code.indices.contains { unchecked(file.code, $0) != nil }
    }
  }
}
