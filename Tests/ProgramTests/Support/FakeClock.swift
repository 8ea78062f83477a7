import Foundation
import TestSubprocess

/// A clock that is off, for a program that the tests start: `scripts/shifted-clock.c`, which is loaded before the C
/// library.
enum FakeClock {
  /// The compiler beside `swift`.
  private static let compiler: String? = {
    #if os(Linux)
      let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
      let toolchain = folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/swift") }
      return toolchain.map { $0 + "/clang" }.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
    #else
      return nil
    #endif
  }()

  static var isPresent: Bool { compiler != nil }

  private static let source =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path + "/scripts/shifted-clock.c"

  /// The variables for a program whose clock is so many seconds ahead. Only the date is off: spans of time are right.
  ///
  /// - Parameter folder: where the library is built.
  static func variables(ahead seconds: Int, in folder: String) async throws -> [String: String] {
    guard let compiler, seconds != 0 else { return [:] }
    let library = folder + "/shifted-clock.so"
    if !FileManager.default.fileExists(atPath: library) {
      try await OtherProgram.run(compiler, ["-shared", "-fPIC", "-O1", "-Werror", source, "-o", library])
    }
    return ["LD_PRELOAD": library, "CLOCK_AHEAD_SECONDS": "\(seconds)"]
  }
}
