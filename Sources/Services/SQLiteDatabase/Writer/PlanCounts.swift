/// How transactions were run, for metrics and tests.
package struct PlanCounts: Hashable, Sendable {
  /// Wrote nothing, and were answered from a snapshot.
  package var answeredFromSnapshot: Int
  /// The writer wrote what they had planned.
  package var applied: Int
  /// Something that they had read was changed before the writer took them, so their closures ran again.
  package var outdated: Int
  /// Had no plan, so their closures ran on the writer.
  package var withoutPlan: Int

  package init(answeredFromSnapshot: Int = 0, applied: Int = 0, outdated: Int = 0, withoutPlan: Int = 0) {
    self.answeredFromSnapshot = answeredFromSnapshot
    self.applied = applied
    self.outdated = outdated
    self.withoutPlan = withoutPlan
  }

  mutating func add(_ other: PlanCounts) {
    answeredFromSnapshot += other.answeredFromSnapshot
    applied += other.applied
    outdated += other.outdated
    withoutPlan += other.withoutPlan
  }
}
