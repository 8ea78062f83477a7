import Foundation
package import StrictJSON
import TestSubprocess

/// Scripts of `Tests/Tools` that drive Apple's own library, in the environment that `scripts/python-for-tests` makes.
package enum PythonTool {
  /// Why a test is skipped.
  package static let absence = ".build/python is absent: scripts/python-for-tests makes it, and make test calls that"

  private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static let python = package.appending(path: ".build/python/bin/python")

  package static let isPresent = FileManager.default.isExecutableFile(atPath: python.path())

  /// Apple's sample payloads and test key, where this machine has them.
  package static var appleModels: [String] {
    let models = package.deletingLastPathComponent().appending(path: "shared/fixtures/apple-models")
    return Fixtures.arePresent
      ? [models.appending(path: "models").path(), models.appending(path: "certs/testSigningKey.p8").path()] : []
  }

  /// Runs a script and returns its output.
  ///
  /// - Parameter arguments: the script's arguments, made from two file names: one holds `input`, one is for its output.
  package static func run(
    _ script: String, input: JSONValue = .null, arguments: (_ input: String, _ output: String) -> [String]
  ) throws -> JSONValue {
    let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(script)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (inputFile, output) = (folder.appending(path: "input"), folder.appending(path: "output"))
    try Data(input.bytes).write(to: inputFile)
    try OtherProgram.run(
      python.path(),
      [package.appending(path: "Tests/Tools/\(script)").path()] + arguments(inputFile.path(), output.path()))
    return try JSONReader.read(Data(contentsOf: output), limits: JSONLimits(bytesMax: 16 << 20))
  }
}
