package import PaymentDatabase
package import PaymentPrimitives

/// A node's part of what all nodes together may do, such as the calls that a store allows.
package enum StoreShare: Hashable, Sendable {
  /// Nothing yet: others may still use all of it.
  case none
  /// One of so many equal parts, until that moment: whoever could not reach the database since may count no more.
  case part(of: Int, until: Timestamp)
}

/// How many nodes share, as one of them sees it at each of its beats. The parts of all nodes together never exceed the
/// whole, whenever each one joins, leaves, or is heard no more.
///
/// - A node counts until it has left, or was silent for `NodeRecord.silenceMax`.
/// - A node that joins takes its part once each other node has beaten twice since: the first of these beats reads it,
///   and the second does not begin before the answer to the first has taken effect.
/// - A part shrinks at once. It grows at the second beat that sees fewer nodes, so that the last calls of a node that
///   has left lie behind.
/// - A part ends when the node has not been heard for some time: earlier than others take it for gone. When it is heard
///   again, it joins anew.
package struct SharingNodes {
  /// How long a part lasts after the beat before which it was asked for.
  static let lastsFor = TimeSpan(milliseconds: NodeRecord.silenceMax.milliseconds * 2 / 3)

  private var joinedAt: Timestamp?
  private var lastSeenAt: Timestamp?
  private var hasJoined = false
  /// The first beat of each other node that came after this one had joined.
  private var firstBeats: [Int64: Timestamp] = [:]
  private var countBefore: Int?

  package init() {}

  /// - Parameters:
  ///   - records: the nodes, as this node's beat has read them.
  ///   - begun: when that beat was begun, by this node's clock.
  package mutating func share(_ records: [NodeRecord], own: Int64, begun: Timestamp) -> StoreShare {
    guard let me = records.first(where: { $0.number == own }) else { return .none }
    let isHeardAgain = lastSeenAt.map { me.seenAt - $0 > Self.lastsFor } ?? true
    lastSeenAt = me.seenAt
    if isHeardAgain { (joinedAt, hasJoined, firstBeats) = (me.seenAt, false, [:]) }
    let joinedAt = joinedAt ?? me.seenAt
    let others = records.filter { $0.number != own && ($0.state == .active || $0.state == .draining) }
    hasJoined = hasJoined || others.allSatisfy { other in firstBeats[other.number].map { other.seenAt > $0 } ?? false }
    for other in others where other.seenAt > joinedAt && firstBeats[other.number] == nil {
      firstBeats[other.number] = other.seenAt
    }
    let count = others.count + 1
    defer { countBefore = count }
    guard hasJoined else { return .none }
    return .part(of: max(count, countBefore ?? count), until: begun + Self.lastsFor)
  }
}
