import Foundation

/// What a built module imports, as the compiler wrote it into the module: not what its sources say, but what became of
/// them.
enum BuiltImports {
  /// The block of a module in which its imports stand, and the code of their records (Swift's ModuleFormat.h).
  private static let inputs: UInt64 = 10
  private static let importedModule: UInt64 = 1
  private static let magic: [UInt8] = [0xE2, 0x9C, 0xA8, 0x0E]

  struct NotAModule: Error {}

  /// The modules that a module of this build imports, by the name before any point.
  static func of(_ module: String) throws -> Set<String> {
    try read(Array(Data(contentsOf: BuiltModules.folder.appending(path: "\(module).swiftmodule"))))
  }

  static func read(_ bytes: [UInt8]) throws -> Set<String> {
    guard bytes.starts(with: magic) else { throw NotAModule() }
    let records = try Bitstream.records(in: bytes, depth: 2)
    return Set(
      records.filter { $0.block == inputs && $0.code == importedModule }
        .map { String(decoding: $0.blob.prefix { $0 != 0 }, as: UTF8.self) })
  }

  /// The toolchain's own modules that the client may import. The C library is one of them: each platform has it.
  static let toolchain: Set<String> = [
    "Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing", "_SwiftConcurrencyShims", "SwiftShims",
    "Synchronization", "Observation", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Musl",
    "Android", "Darwin",
  ]

  /// What modules import that is neither the toolchain's nor one of themselves: `Module imports Other`.
  static func foreign(_ modules: Set<String>, imports: (String) throws -> Set<String>) rethrows -> [String] {
    try modules.sorted().flatMap { module in
      try imports(module).subtracting(toolchain).subtracting(modules).sorted().map { "\(module) imports \($0)" }
    }
  }
}
