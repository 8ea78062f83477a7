/// Which keys the last commits wrote: it tells whether a plan is still true.
package struct RecentWrites: Sendable {
  /// The most keys of one generation; two generations are kept.
  private static let generationMax = 65_536

  private var newer: [Int: Int64] = [:]
  private var older: [Int: Int64] = [:]
  /// A snapshot from before this commit cannot be checked.
  private var floor: Int64
  /// The commit at which the newer generation began.
  private var newerFloor: Int64

  /// Knows nothing of the writes up to that commit.
  package init(after commit: Int64) {
    floor = commit
    newerFloor = commit
  }

  /// Records the keys that a commit wrote.
  package mutating func note(_ keys: some Sequence<Int>, in commit: Int64) {
    for key in keys { newer[key] = commit }
    guard newer.count > Self.generationMax else { return }
    floor = newerFloor
    newerFloor = commit
    (older, newer) = (newer, [:])
  }

  /// Records a commit that wrote rows without known keys: no earlier snapshot is valid.
  package mutating func noteEverything(in commit: Int64) {
    self = RecentWrites(after: commit)
  }

  /// Whether nothing was written under these keys since the snapshot that contains that commit.
  package func isUnchanged(_ keys: [Int], since commit: Int64) -> Bool {
    guard commit >= floor else { return false }
    return keys.allSatisfy { (newer[$0] ?? older[$0] ?? floor) <= commit }
  }
}
