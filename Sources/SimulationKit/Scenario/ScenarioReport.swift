public import PaymentVocabulary

/// What a scenario came to.
public struct ScenarioReport: Sendable {
  /// Something that happened, or that was looked up in the books on the way.
  public struct Step: Hashable, Sendable {
    /// How long after the beginning.
    public let after: TimeSpan
    /// What, in a sentence.
    public let text: BilingualText
    /// Whether the books say so; nil of what was done.
    public let holds: Bool?
  }

  /// One line of the verdict.
  public struct Finding: Hashable, Sendable {
    /// What must be so.
    public let text: BilingualText
    /// Whether it is.
    public let holds: Bool
  }

  /// The scenario.
  public let name: String
  /// What happened, in order.
  public internal(set) var steps: [Step] = []
  /// What the books say at the end.
  public internal(set) var findings: [Finding] = []
  /// What must not be, as the judge of simulated worlds found it, in English.
  public internal(set) var problems: [String] = []
  /// The same story as the parts of the world tell it, in English.
  public internal(set) var story: [WorldStoryLine] = []

  /// Whether the promise was kept, by the ledger.
  public var isKept: Bool {
    problems.isEmpty && !findings.isEmpty && findings.allSatisfy(\.holds) && steps.allSatisfy { $0.holds != false }
  }
}
