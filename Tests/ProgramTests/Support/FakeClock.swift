import Foundation

/// A clock that is off, for a program that the tests start: libfaketime, which is loaded before the C library.
enum FakeClock {
  private static let library: String? = {
    let folders = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/faketime" }
    return folders.map { $0 + "/libfaketimeMT.so.1" }.first { FileManager.default.fileExists(atPath: $0) }
  }()

  static var isPresent: Bool { library != nil }

  /// The variables for a program whose clock is so many seconds ahead. Only the date is off: spans of time are right.
  static func variables(ahead seconds: Int) -> [String: String] {
    guard let library, seconds != 0 else { return [:] }
    return [
      "LD_PRELOAD": library, "FAKETIME": seconds < 0 ? "\(seconds)s" : "+\(seconds)s",
      "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_RESET": "1",
    ]
  }
}
