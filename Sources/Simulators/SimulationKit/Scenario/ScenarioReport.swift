package import PaymentPrimitives

package struct ScenarioReport: Sendable {
  /// Something that happened, or that was looked up in the books on the way.
  package struct Step: Hashable, Sendable {
    package let after: TimeSpan
    package let text: BilingualText
    /// Whether the books say so; nil of what was done.
    package let holds: Bool?
  }

  package struct Finding: Hashable, Sendable {
    /// What must be so.
    package let text: BilingualText
    package let holds: Bool
  }

  package let name: String
  /// What happened, in order.
  package internal(set) var steps: [Step] = []
  /// What the books say at the end.
  package internal(set) var findings: [Finding] = []
  /// What must not be, as the judge of simulated worlds found it, in English.
  package internal(set) var problems: [String] = []
  /// The same story as the parts of the world tell it, in English.
  package internal(set) var story: [EventTraceLine] = []

  /// Whether the promise was kept, by the ledger.
  package var isKept: Bool {
    problems.isEmpty && !findings.isEmpty && findings.allSatisfy(\.holds) && steps.allSatisfy { $0.holds != false }
  }
}
