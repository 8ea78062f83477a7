package import PaymentModel
package import PaymentPrimitives

/// What the processes over one database need to know of each other. A database that one process holds has none.
///
/// Nothing here is part of a transaction of money. Whoever misses a message loses a moment, never a change.
package protocol NodeCoordination: Sendable {
  /// The number of this process: the database gave it at the start, and gives it to no other.
  var node: Int64 { get }
  /// How far the database's clock is ahead of this process's, as last measured.
  var clockOffset: TimeSpan { get }

  /// Says that this process lives. Marks those that have not said so for `NodeRecord.silenceMax` as gone, and ends what
  /// they hold.
  func beat() async throws -> [NodeRecord]
  /// Says that this process takes no more work, or has left.
  func note(_ state: NodeRecord.State) async throws

  /// The right to ask a store about an order now: of all processes one gets it within a pause.
  func mayAsk(about order: OrderKey, pause: TimeSpan) async throws -> Bool

  /// Sends lines of text to the other processes, each at most 7,000 bytes long.
  func tell(_ lines: [String]) async throws
  /// The lines that other processes sent; waits for the first of them, at most for that span.
  ///
  /// - Returns: nil if it has only begun to listen: what was sent before may have been missed.
  func hear(within span: TimeSpan) async throws -> [String]?
}

/// A process over a shared database.
package struct NodeRecord: Hashable, Sendable {
  package enum State: String, CaseIterable, Sendable {
    case active
    /// It answers requests and takes no more work.
    case draining
    /// It has ended.
    case left
    /// Nothing was heard of it for `silenceMax`; it may come back.
    case gone
  }

  /// How long a process may be silent before it counts as gone, by the database's clock.
  package static let silenceMax = TimeSpan.seconds(30)
  /// When a process that has left or is gone is forgotten.
  package static let rememberedFor = TimeSpan.days(1)

  package var number: Int64
  package var startedAt: Timestamp
  package var seenAt: Timestamp
  package var state: State

  package init(number: Int64, startedAt: Timestamp, seenAt: Timestamp, state: State) {
    self.number = number
    self.startedAt = startedAt
    self.seenAt = seenAt
    self.state = state
  }
}
