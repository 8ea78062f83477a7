import Foundation

/// The documentation of a module, as DocC makes it from its pages and the symbols of the built module.
enum DocumentationArchive {
  /// Makes the documentation in a folder, or throws it away.
  ///
  /// - Returns: what DocC reports, including notes; empty if there is nothing.
  static func make(_ module: String, at root: URL, in output: URL?) throws -> String {
    try Toolchain.withFolder { folder in
      let symbols = folder.appending(path: "symbols")
      try FileManager.default.createDirectory(at: symbols, withIntermediateDirectories: true)
      _ = try Toolchain.output(
        "swift-symbolgraph-extract",
        [
          "-module-name", module, "-target", try Toolchain.target(), "-output-dir", symbols.path,
          "-minimum-access-level", "public",
        ] + BuiltModules.arguments(at: root))
      var catalog = root.appending(path: "Sources/Client/\(module)/\(module).docc")
      if !FileManager.default.fileExists(atPath: catalog.path) {
        // A module without pages has an empty catalog.
        catalog = folder.appending(path: "\(module).docc")
        try FileManager.default.createDirectory(at: catalog, withIntermediateDirectories: true)
      }
      let archive = output?.appending(path: "\(module).doccarchive") ?? folder.appending(path: "archive")
      let (code, said, errors) = try Toolchain.run(
        "docc",
        [
          "convert", catalog.path, "--additional-symbol-graph-dir", symbols.path, "--output-path", archive.path,
          "--fallback-bundle-identifier", module, "--analyze", "--warnings-as-errors",
        ])
      let words = (said + errors).trimmingCharacters(in: .whitespacesAndNewlines)
      return code == 0 ? words : words + "\ndocc exited with \(code)"
    }
  }
}
