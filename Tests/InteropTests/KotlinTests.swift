import Foundation
import StrictJSON
import TestTier
import Testing

/// The client in Kotlin (`Clients/android`) and the plug-in for Flutter over it (`Clients/flutter`).
@Suite struct `The clients for Android and Flutter` {
  static let absence =
    "a JDK or the Kotlin compiler is absent: scripts/bootstrap --for-tests installs them, and make test calls that"
  /// Every step is killed at night, each third in `make check`, each eighth in `make test`.
  private static let gap = Tier.among(test: 8, check: 3, night: 1)

  @Test(
    .enabled(if: Tool.arePresent("java", "javac", "python3") && Tool.hasPackages, Comment(rawValue: absence)),
    .timeLimit(.minutes(15)))
  func `grant what is paid in WeChat once, wherever they are killed (1A.2-1A.16, 1A.31-1A.38, X17, X18, X20, S18)`()
    async throws
  {
    let (java, javac) = (try #require(Tool.onPath("java")), try #require(Tool.onPath("javac")))
    let report = try await Tool.withFolder { folder in
      let served = try await ServedSimulator(in: folder)
      defer { served.stop() }
      return try await Tool.python(
        "kotlin_runs.py",
        [served.serverPort, served.simulatorPort, served.folder.path, "\(Self.gap)", java, javac, folder.path],
        in: folder, within: .seconds(840))
    }
    let wrong = try #require(report["wrong"]?.array).compactMap(\.string)
    #expect(wrong == [])
    func said(_ name: String) -> Int64 { report["said"]?[name]?.integer ?? 0 }
    // In simulated time: each sentence of the checks, and a kill after each effect of six stories.
    #expect(said("checks") > 120 && said("kills") > 90)
    // Real processes: four stories with a payment, and two taps that pay once.
    #expect(said("charges") == 5)
    // Of the eight lost callbacks of 1A.15, four end with a payment.
    #expect(said("chargesOfLostCallbacks") == 4)
    // Whoever was killed is charged once in the end, before the kill or after it.
    #expect(said("killedProcesses") > 50 / Int64(Self.gap))
    #expect(said("chargesAfterKills") == said("killedProcesses"))
    #expect(said("boughtAgain") > 0 && said("boughtAgain") < said("killedProcesses"))
  }

  @Test(.enabled(if: Tool.hasPackages, Comment(rawValue: absence)), .timeLimit(.minutes(1)))
  func `have a Dart half that a grammar accepts, and that sends and reads the recorded messages`() async throws {
    let report = try await Tool.withFolder { folder in
      try await Tool.packaged("dart_parse.py", [folder.path], in: folder)
    }
    #expect(try #require(report["wrong"]?.array).compactMap(\.string) == [])
    #expect(report["files"]?.integer ?? 0 >= 7)
  }
}
