import Foundation
import TestSubprocess

/// The documentation of a client product, as DocC makes it from the catalog and the built modules' symbols.
enum DocumentationArchive {
  /// Makes the documentation of a module, in a folder or to be thrown away.
  ///
  /// - Returns: what DocC has to say, warnings and notes included; empty when there is nothing.
  static func make(_ module: String, in output: URL?) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "documentation-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let symbols = folder.appending(path: "symbols")
    try FileManager.default.createDirectory(at: symbols, withIntermediateDirectories: true)
    try SymbolGraph.extract(module, to: symbols)
    var catalog = Repository.root.appending(path: "Sources/\(module)/\(module).docc")
    if !FileManager.default.fileExists(atPath: catalog.path) {
      // A module without pages of its own has the catalog that DocC would think of.
      catalog = folder.appending(path: "\(module).docc")
      try FileManager.default.createDirectory(at: catalog, withIntermediateDirectories: true)
    }
    let archive = output?.appending(path: "\(module).doccarchive") ?? folder.appending(path: "archive")
    let docc = try OtherProgram(
      try BuiltModules.tool("docc"),
      [
        "convert", catalog.path, "--additional-symbol-graph-dir", symbols.path, "--output-path", archive.path,
        "--fallback-bundle-identifier", module, "--analyze", "--warnings-as-errors",
      ])
    let code = docc.end()
    let said = (docc.output + docc.errors).trimmingCharacters(in: .whitespacesAndNewlines)
    return code == 0 ? said : said + "\ndocc ended with \(code)"
  }
}
