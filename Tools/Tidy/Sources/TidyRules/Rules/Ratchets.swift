/// What is not yet as it should be. Each list may only shrink: an entry that is no longer true is a finding, too.
package enum Ratchets {
  /// Files (by path) and functions (by path and name) that are too long, with their lines.
  package static let lengths: [String: Int] = [
    "Tests/CFaultyDisk/CFaultyDisk.c": 312
  ]

  /// Error codes that no test reaches.
  static let unreachedErrorCodes: Set<String> = []

  /// Items of the checklist that no test cites.
  static let uncitedItems: Set<String> = []
}
