import CBuildInformation
import PaymentPrimitives
import StrictJSON

/// What was built, from what, and when. Only a build of a package knows more than the version.
enum BuildInformation {
  /// The commit in hexadecimal; nil if the build does not know it.
  static var commit: String? { known(build_information_commit()) }
  /// The version of the compiler, such as `6.3`; nil if the build does not know it.
  static var swift: String? { known(build_information_swift()) }

  /// The time of the commit (`SOURCE_DATE_EPOCH`), so that the same commit gives the same program.
  static var time: Timestamp? {
    known(build_information_epoch()).flatMap { Int64($0) }.map { Timestamp(seconds: $0) }
  }

  /// The day of the commit for a manual page; empty if the build does not know it.
  static var day: String { time.map { String($0.iso8601.prefix(10)) } ?? "" }

  static var json: JSONValue {
    .members([
      ("version", .string(Version.text)), ("commit", commit.map { .string($0) } ?? .null),
      ("builtAt", time.map { .string($0.iso8601) } ?? .null), ("swift", swift.map { .string($0) } ?? .null),
    ])
  }

  private static func known(_ text: UnsafePointer<CChar>?) -> String? {
    guard let text, let value = String(validatingCString: text), !value.isEmpty else { return nil }
    return value
  }
}
