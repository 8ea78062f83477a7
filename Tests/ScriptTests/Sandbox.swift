import Foundation
import TestSubprocess
import Testing

/// The tests that start processes, one after the other: a stub that is being written for one test must not be open in
/// the process that another test is just starting, or the system refuses to run it.
@Suite(.serialized) enum Scripts {}

/// The repository, and what this machine has.
enum Machine {
  static let repository = URL(filePath: #filePath, directoryHint: .notDirectory)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Whether the system shows its processes as files.
  static let hasProcessTable = FileManager.default.fileExists(atPath: "/proc/self/stat")

  /// Whether Boost's headers lie where Debian puts them, which is where the bootstrap script looks on Debian.
  static let hasDebianBoost = FileManager.default.fileExists(atPath: "/usr/include/boost/version.hpp")
}

/// A folder with copies of our scripts and a PATH of its own, on which stubs stand for the tools that change a machine.
struct Sandbox {
  let root: URL
  private var tools: URL { root.appending(path: "bin") }

  /// What the scripts use and may have for real.
  private static let harmless = [
    "sh", "cat", "chmod", "cmp", "cut", "dirname", "env", "grep", "head", "mkdir", "mv", "ps", "rm", "sed", "setsid",
    "sleep", "sort", "tail", "tee", "tr", "true",
  ]

  /// - Parameter stubs: shell programs by name, in place of the tools.
  init(stubs: [String: String]) throws {
    root = FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: tools, withIntermediateDirectories: true)
    for folder in ["scripts", ".ci"] {
      try FileManager.default.copyItem(
        at: Machine.repository.appending(path: folder), to: root.appending(path: folder))
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for tool in Self.harmless where stubs[tool] == nil {
      guard
        let place = path.split(separator: ":").map({ "\($0)/\(tool)" })
          .first(where: { FileManager.default.isExecutableFile(atPath: $0) })
      else { continue }
      try FileManager.default.createSymbolicLink(
        atPath: tools.appending(path: tool).path, withDestinationPath: place)
    }
    for (name, program) in stubs { try add(name, program) }
  }

  /// Puts a stub on the PATH.
  func add(_ name: String, _ program: String) throws {
    let place = tools.appending(path: name)
    try Data("#!/bin/sh\n\(program)\n".utf8).write(to: place)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
  }

  /// What a script says on both channels, and its exit code.
  func run(_ script: String, _ arguments: [String] = []) throws -> (code: Int32, output: String) {
    let process = try OtherProgram(
      "/bin/sh", ["-c", "exec \"$@\" 2>&1", "sh", "/bin/sh", root.appending(path: script).path] + arguments,
      environment: ["PATH": tools.path])
    let code = process.end()
    return (code, process.output)
  }

  /// The text of a file that a script left.
  func text(_ path: String) -> String {
    (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
  }

  func remove() { try? FileManager.default.removeItem(at: root) }
}
