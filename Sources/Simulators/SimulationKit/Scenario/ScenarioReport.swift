package import PaymentPrimitives

package struct ScenarioReport: Sendable {
  /// An event of the scenario, or a check of the ledger during the run.
  package struct Step: Hashable, Sendable {
    package let after: TimeSpan
    package let text: BilingualText
    /// The result of the check; nil for an event.
    package let holds: Bool?
  }

  package struct Finding: Hashable, Sendable {
    /// The expected condition.
    package let text: BilingualText
    package let holds: Bool
  }

  package let name: String
  /// The events and checks, in order.
  package internal(set) var steps: [Step] = []
  /// The checks of the ledger at the end.
  package internal(set) var findings: [Finding] = []
  /// The rules that the oracle found violated, in English.
  package internal(set) var problems: [String] = []
  /// The trace of the same run from the parts of the world, in English.
  package internal(set) var events: [EventTraceLine] = []

  /// Whether the scenario passed, according to the ledger.
  package var isKept: Bool {
    problems.isEmpty && !findings.isEmpty && findings.allSatisfy(\.holds) && steps.allSatisfy { $0.holds != false }
  }
}
