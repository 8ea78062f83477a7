import CBuildInformation
import PaymentPrimitives
import StrictJSON

/// What was built, from what, and when. Only a build of a package knows more than the version.
enum BuildInformation {
  /// The commit in hexadecimal; nil if the build does not know it.
  static var commit: String? { part(0) }
  /// The version of the compiler, such as `6.3`; nil if the build does not know it.
  static var swift: String? { part(2) }

  /// The time of the commit (`SOURCE_DATE_EPOCH`), so that the same commit gives the same program.
  static var time: Timestamp? {
    part(1).flatMap { Int64($0) }.map { Timestamp(seconds: $0) }
  }

  /// The day of the commit for a manual page; empty if the build does not know it.
  static var day: String { time.map { String($0.iso8601.prefix(10)) } ?? "" }

  /// - Parameter allocator: what serves `malloc` in this process; nil for the system's own.
  static func json(allocator: String?) -> JSONValue {
    .members([
      ("version", .string(Version.text)), ("commit", commit.map { .string($0) } ?? .null),
      ("builtAt", time.map { .string($0.iso8601) } ?? .null), ("swift", swift.map { .string($0) } ?? .null),
      ("allocator", allocator.map { .string($0) } ?? .null),
    ])
  }

  private static func part(_ index: Int) -> String? {
    guard let text = build_information().flatMap({ String(validatingCString: $0) }) else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 3 && !parts[index].isEmpty ? String(parts[index]) : nil
  }
}
