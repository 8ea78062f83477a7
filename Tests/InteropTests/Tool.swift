import Foundation
import StrictJSON
import TestSubprocess

/// Programs of other languages, and scripts of `Tests/Tools` that drive them against the built server.
enum Tool {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// The program of that name on the PATH; nil if there is none.
  static func onPath(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Whether all of them are installed. Apple's placeholders for a JDK are not: they fail when they are called.
  static func arePresent(_ names: String...) -> Bool {
    names.allSatisfy { name in
      guard let path = onPath(name) else { return false }
      return (try? run(path, ["--version"])) != nil
    }
  }

  /// The built program, in the folder of the tests that were built with it.
  static func program(_ name: String = "counterfoil") throws -> String {
    var beside = URL(filePath: CommandLine.arguments[0])
    if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) { beside = bundle.bundleURL }
    let program = beside.deletingLastPathComponent().appending(path: name).path
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Failure(description: "the program is not built: \(program)")
    }
    return program
  }

  /// A folder that exists during a test.
  static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-language-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }

  /// Runs a script of `Tests/Tools` with Python and reads its output file, which is its last argument.
  static func python(
    _ script: String, _ arguments: [String], in folder: URL, within deadline: Duration = OtherProgram.patience
  ) async throws -> JSONValue {
    guard let python = onPath("python3") else { throw Failure(description: "there is no python3") }
    let output = folder.appending(path: "output.json")
    let place = package.appending(path: "Tests/Tools/\(script)").path
    try await OtherProgram.run(python, ["-B", place] + arguments + [output.path], within: deadline)
    return try JSONReader.read(Data(contentsOf: output), limits: JSONLimits(bytesMax: 16 << 20))
  }

  /// The same as `python`, for a script in JavaScript.
  static func node(
    _ script: String, _ arguments: [String], in folder: URL, within deadline: Duration = OtherProgram.patience
  ) async throws -> JSONValue {
    guard let node = onPath("node") else { throw Failure(description: "there is no node") }
    let output = folder.appending(path: "output.json")
    try await OtherProgram.run(node, [place("Tests/Tools/\(script)")] + arguments + [output.path], within: deadline)
    return try JSONReader.read(Data(contentsOf: output), limits: JSONLimits(bytesMax: 16 << 20))
  }

  /// Python with the third-party packages that `scripts/python-for-tests` installs.
  private static let packagedPython = package.appending(path: ".build/python/bin/python").path

  /// Whether those packages are installed.
  static let hasPackages = FileManager.default.isExecutableFile(atPath: packagedPython)

  /// The same as `python`, with those packages.
  static func packaged(
    _ script: String, _ arguments: [String], in folder: URL, within deadline: Duration = OtherProgram.patience
  ) async throws -> JSONValue {
    let output = folder.appending(path: "output.json")
    let place = package.appending(path: "Tests/Tools/\(script)").path
    try await OtherProgram.run(packagedPython, ["-B", place] + arguments + [output.path], within: deadline)
    return try JSONReader.read(Data(contentsOf: output), limits: JSONLimits(bytesMax: 1 << 20))
  }

  /// Whether a file or folder exists.
  static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// The path of a file of the package.
  static func place(_ path: String) -> String { package.appending(path: path).path }

  /// Runs a program to its end.
  ///
  /// - Throws: its standard error output, unless it ended with 0.
  static func run(_ program: String, _ arguments: [String]) throws {
    try OtherProgram.run(program, arguments)
  }
}
