import PaymentPrimitives

/// What happens to the nodes of a world over the modelled PostgreSQL, and to its servers. The plan has its own random
/// stream, so it changes nothing else in the world.
struct NodePlan: Hashable, Sendable {
  /// How often a node is cut off from the database.
  var cuts = 0
  /// How often a node is stopped, and goes on later as if nothing had been.
  var holds = 0
  /// How often a node is killed while it does a work that it does alone.
  var leaseKills = 0
  /// How often the database's primary starts again or is replaced, or the standby is away.
  var failovers: [Failover] = []

  enum Failover: CaseIterable, Hashable, Sendable {
    /// The primary is killed and starts again over what it had written.
    case restart
    /// The primary is killed, and the standby takes its place.
    case promotion
    /// The standby takes the place of a primary that is cut off from it and runs on for some nodes.
    case isolation
    /// Commits wait for a standby that does not answer.
    case standbyAway
  }

  init(seed: UInt64) {
    var chance = SeededChance(seed: seed, purpose: "plan of nodes")
    if chance.happens(perMille: 600) { cuts = 1 + chance.number(below: 4) }
    if chance.happens(perMille: 600) { holds = 1 + chance.number(below: 4) }
    if chance.happens(perMille: 400) { leaseKills = 1 + chance.number(below: 2) }
    if chance.happens(perMille: 800) {
      for _ in 0..<(1 + chance.number(below: 3)) {
        failovers.append(chance.pick(Failover.allCases) ?? .promotion)
      }
    }
  }

  /// How far the clock of a node may be from the database's.
  static let skews: [TimeSpan] = [.zero, .zero, .seconds(1), .minutes(5), -.minutes(5)]
}
