import Foundation
import Synchronization
import TestPlatform
import TestSubprocess

/// Folders that are removed when this process ends.
private let folders = Mutex<[URL]>([])

/// A certificate authority for one test run, and its certificate for `localhost` and 127.0.0.1. The `openssl` command
/// makes new ones each time.
struct TestCertificates: Sendable {
  let folder: URL
  /// The authority's certificate in PEM.
  let authority: [UInt8]
  let chainFile: String
  let keyFile: String

  private static let ours = Task { await blocking { Result { try TestCertificates(name: "test authority") } } }
  private static let others = Task { await blocking { Result { try TestCertificates(name: "other test authority") } } }

  /// The authority that tests trust.
  static func shared() async throws -> TestCertificates { try await ours.value.get() }
  /// An authority that tests do not trust.
  static func other() async throws -> TestCertificates { try await others.value.get() }

  private init(name: String) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("test-certificates-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let place = folder
    folders.withLock { folders in
      if folders.isEmpty {
        atexit {
          PlatformTests.folders.withLock { for folder in $0 { try? FileManager.default.removeItem(at: folder) } }
        }
      }
      folders.append(place)
    }
    chainFile = folder.appendingPathComponent("chain.pem").path
    keyFile = folder.appendingPathComponent("key.pem").path
    let ca = folder.appendingPathComponent("ca.pem").path
    let caKey = folder.appendingPathComponent("ca-key.pem").path
    let request = folder.appendingPathComponent("request.pem").path
    let names = folder.appendingPathComponent("names.txt").path
    try "subjectAltName=DNS:localhost,DNS:pinned.test,IP:127.0.0.1\n".write(
      toFile: names, atomically: true, encoding: .utf8)
    let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    try Self.openssl(
      ["req", "-x509", "-subj", "/CN=\(name)", "-days", "2", "-keyout", caKey, "-out", ca] + curve)
    try Self.openssl(
      ["req", "-subj", "/CN=test server", "-keyout", keyFile, "-out", request] + curve)
    try Self.openssl([
      "x509", "-req", "-in", request, "-CA", ca, "-CAkey", caKey, "-CAcreateserial", "-days", "2",
      "-extfile", names, "-out", chainFile,
    ])
    authority = Array(try Data(contentsOf: URL(fileURLWithPath: ca)))
  }

  private static func openssl(_ arguments: [String]) throws {
    try OtherProgram.run("/usr/bin/env", ["openssl"] + arguments)
  }
}
