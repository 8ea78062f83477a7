/// A name that a client source uses and does not declare, as it is written there.
struct SymbolUse: Sendable {
  /// `Date`, `.count`, `.split(separator:)`, `Task.sleep(nanoseconds:)`, `URL(string:)`, `@Observable`. A trailing
  /// closure is `{}`.
  let symbol: String
  let line: Int
  /// Where it is compiled, and from which version of each system on.
  let reach: Reach
}

/// The systems for which a piece of code is compiled, and the oldest version of each on which it runs.
struct Reach: Equatable, Sendable {
  var versions: [System: Version]

  /// Newer than before, where the code asks for it.
  mutating func require(_ asked: [System: Version]) {
    for (system, version) in asked {
      guard let now = versions[system], now < version else { continue }
      versions[system] = version
    }
  }

  mutating func keep(_ isCompiled: (System) -> Bool) {
    versions = versions.filter { isCompiled($0.key) }
  }
}

/// A system of Apple's, under its name in `@available`.
enum System: String, CaseIterable, Sendable {
  case iOS, macOS, tvOS, watchOS, visionOS

  /// What `canImport` finds there, of the modules that a client source asks for.
  func canImport(_ module: String) -> Bool? {
    switch module {
    case "UIKit": self != .macOS
    case "AppKit": self == .macOS
    case "ObjectiveC", "StoreKit", "SwiftUI", "Security", "Foundation", "Observation", "os", "Darwin": true
    case "Glibc", "Musl", "Bionic", "FoundationNetworking", "WinSDK", "Android": false
    default: nil
    }
  }
}

/// `16.4`.
struct Version: Comparable, Sendable, CustomStringConvertible {
  let major: Int
  let minor: Int

  init(_ major: Int, _ minor: Int = 0) {
    self.major = major
    self.minor = minor
  }

  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...3).contains(parts.count), let major = parts[0] else { return nil }
    guard parts.count == 1 || parts[1] != nil else { return nil }
    self.init(major, parts.count > 1 ? parts[1] ?? 0 : 0)
  }

  var description: String { minor == 0 ? "\(major)" : "\(major).\(minor)" }

  static func < (first: Version, second: Version) -> Bool {
    (first.major, first.minor) < (second.major, second.minor)
  }
}
