import Foundation

/// The programs of the Swift toolchain. `scripts/tidy` puts them on the PATH.
package enum Toolchain {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Runs a program to its end and returns its standard output.
  ///
  /// - Throws: `Failure` if it does not exit with 0.
  static func output(_ program: String, _ arguments: [String]) throws -> String {
    let (code, output, errors) = try run(program, arguments)
    guard code == 0 else {
      throw Failure(description: "\(program) exited with \(code): \(errors.isEmpty ? output : errors)")
    }
    return output
  }

  static func run(_ program: String, _ arguments: [String]) throws -> (code: Int32, output: String, errors: String) {
    try withFolder { folder in
      // Files, because a full pipe would block the program.
      let files = ["output", "errors"].map { folder.appending(path: $0) }
      for file in files { try Data().write(to: file) }
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [program] + arguments
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(forWritingTo: files[0])
      process.standardError = try FileHandle(forWritingTo: files[1])
      try process.run()
      process.waitUntilExit()
      let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
      return (process.terminationStatus, texts[0], texts[1])
    }
  }

  /// Calls with a temporary folder.
  static func withFolder<Value>(_ use: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tidy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try use(folder)
  }

  /// The target for which the compiler builds by default.
  static func target() throws -> String {
    struct Info: Decodable {
      struct Target: Decodable { let triple: String }
      let target: Target
    }
    let info = try output("swiftc", ["-print-target-info"])
    return try JSONDecoder().decode(Info.self, from: Data(info.utf8)).target.triple
  }
}
