import Synchronization

/// What the writer tells the connections that keep their snapshots open.
final class CommitState: Sendable {
  private static let unknown: Int64 = -1

  private let number = Atomic<Int64>(unknown)
  private let keeps = Atomic<Bool>(true)

  /// The last commit. Nil before the first opening, and while the outcome of a commit is unknown.
  var last: Int64? {
    let number = number.load(ordering: .acquiring)
    return number == Self.unknown ? nil : number
  }

  /// Notes a commit. Call it before any caller is answered: a kept snapshot of an earlier commit is then used no more.
  func note(_ commit: Int64) { number.store(commit, ordering: .releasing) }

  /// Notes that the outcome of a commit is unknown: no kept snapshot is used until the next commit.
  func noteUnknown() { number.store(Self.unknown, ordering: .releasing) }

  /// Whether a snapshot may stay open after its closure. An open snapshot keeps the log from starting again at its
  /// beginning, so none stays open while the log is written back.
  var keepsSnapshots: Bool {
    get { keeps.load(ordering: .acquiring) }
    set { keeps.store(newValue, ordering: .releasing) }
  }
}
