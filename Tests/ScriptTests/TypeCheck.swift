import Foundation
import TestSubprocess

/// The compiler's judgement of Swift files over the built modules, without making anything.
enum TypeCheck {
  static func text(_ path: String) throws -> String {
    try String(contentsOf: Machine.repository.appending(path: path), encoding: .utf8)
  }

  /// - Parameter files: their texts by name.
  static func run(_ files: [String: String], module: String) throws -> (code: Int32, output: String) {
    let root = Machine.repository.path
    let place = FileManager.default.temporaryDirectory.appending(path: "type-check-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    for (name, text) in files { try Data(text.utf8).write(to: place.appending(path: name)) }
    // What the stand-ins consist of.
    let maps = ["COpenSSL", "CZlib", "CSQLite"].flatMap {
      ["-Xcc", "-fmodule-map-file=\(root)/Sources/C/\($0)/module.modulemap"]
    }
    let features = ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"].flatMap {
      ["-enable-upcoming-feature", $0]
    }
    let process = try OtherProgram(
      "/usr/bin/env",
      ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-module-name", module] + features + maps
        + ["-I", root + "/.build/debug/Modules"] + files.keys.sorted().map { place.appending(path: $0).path })
    let code = process.end()
    return (code, process.output + process.errors)
  }
}
