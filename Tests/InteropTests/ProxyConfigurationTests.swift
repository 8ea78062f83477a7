import Foundation
import StrictJSON
import TestSubprocess
import TestTier
import Testing

/// The configurations of `ops/proxies`, each before a running server: `Tests/Tools/proxies.py`.
@Suite struct `A reverse proxy with the shipped configuration` {
  private static let names = ["nginx", "caddy", "haproxy"].filter { name in
    Tool.onPath(name) != nil || FileManager.default.isExecutableFile(atPath: "/usr/sbin/" + name)
  }

  /// The script needs a network of its own: root on Linux, and a kernel that gives it.
  private static let hasOwnNetwork = (try? Tool.run("/bin/sh", ["-c", "unshare --net ip link set lo up"])) != nil
  private static let present = !names.isEmpty && hasOwnNetwork && Tool.onPath("openssl") != nil
  private static let absence =
    "there is no proxy (scripts/bootstrap --for-check installs three), or no network of its own for the test"

  @Test(.enabled(if: present, Comment(rawValue: absence)), .timeLimit(.minutes(8)))
  func `passes signed bodies and long calls on, and tells the server the client's own address alone`() async throws {
    let wait = Tier.among(test: 3, check: 25, night: 25)
    let report = try await Tool.withFolder { folder in
      try await Tool.python(
        "proxies.py", [try Tool.program(), "\(wait)", folder.path], in: folder, within: .seconds(420))
    }
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
    #expect(report["proxies"]?.array?.compactMap(\.string) == Self.names)
    #expect(report["done"]?.integer == Int64(Self.names.count * 16))
  }
}
