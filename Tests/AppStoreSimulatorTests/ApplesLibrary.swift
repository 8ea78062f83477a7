import Foundation
import StrictJSON
import TestSubprocess

/// Apple's own library for Python (`app-store-server-library`), in the environment that `scripts/python-for-tests`
/// makes.
enum ApplesLibrary {
  /// Why a test is skipped.
  static let absence = ".build/python is absent: scripts/python-for-tests makes it, and make test calls that"

  private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static let python = package.appending(path: ".build/python/bin/python")

  static let isInstalled = FileManager.default.isExecutableFile(atPath: python.path())

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// The answer of `Tests/Tools/apple_reads_simulator.py`, or of another script in that folder.
  static func read(_ question: JSONValue, by script: String = "apple_reads_simulator.py") throws -> [JSONValue] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "counterfoil-simulator-\(ProcessInfo.processInfo.globallyUniqueString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["input", "output"].map { folder.appending(path: $0) }
    try Data(question.bytes).write(to: files[0])
    try OtherProgram.run(
      python.path(),
      [package.appending(path: "Tests/Tools/\(script)").path(), files[0].path(), files[1].path()])
    let answers = try JSONReader.read(Data(contentsOf: files[1]), limits: JSONLimits(bytesMax: 16 << 20)).array
    guard let answers else { throw Failure(description: "the answers are no list") }
    return answers
  }
}
