import PaymentEngine
import PaymentPrimitives
import TOMLConfiguration

/// Reads the policy for sandbox purchases: `sandbox_purchases`, with `sandbox_testers` or `sandbox_until`.
struct SandboxPolicyReading {
  let table: ConfigurationTable
  let now: @Sendable () -> Timestamp

  init(_ table: ConfigurationTable, now: @escaping @Sendable () -> Timestamp) {
    self.table = table
    self.now = now
  }

  private enum Word: String, CaseIterable {
    case separate
    case testers
    case review
    case refuse
  }

  /// The most testers that TestFlight allows.
  private static let testersMax = 10_000

  /// The policy; `separate` if the values are wrong; the table has then noted the problem.
  func policy() -> AppPolicy.SandboxPolicy {
    let word = table.value("sandbox_purchases", .word, default: Word.separate)
    let testers = table.optional("sandbox_testers", .list(of: .string(bytes: 1...255), count: 1...Self.testersMax))
    let until = table.optional("sandbox_until", .moment)
    if word != .testers, table.keys.contains("sandbox_testers") {
      table.refuse("sandbox_testers", .contradiction, details: "It belongs to sandbox_purchases = \"testers\".")
    }
    if word != .review, table.keys.contains("sandbox_until") {
      table.refuse("sandbox_until", .contradiction, details: "It belongs to sandbox_purchases = \"review\".")
    }
    switch word {
    case .separate: return .separate
    case .refuse: return .refuse
    case .testers: return self.testers(testers)
    case .review: return review(until)
    }
  }

  private func testers(_ testers: [String]?) -> AppPolicy.SandboxPolicy {
    if !table.keys.contains("sandbox_testers") {
      table.refuse(
        "sandbox_testers", .missingKey, details: "Without the user ids of the testers no user sees sandbox purchases.")
    }
    return .testers(Set((testers ?? []).map { UserIdentifier($0) }))
  }

  /// A date in the past is not an error: a server must be able to restart with the same configuration.
  private func review(_ until: Timestamp?) -> AppPolicy.SandboxPolicy {
    guard let until else {
      if !table.keys.contains("sandbox_until") {
        table.refuse(
          "sandbox_until", .missingKey, details: "A review shows sandbox purchases to everybody: say until when.")
      }
      return .separate
    }
    if until > now() + AppPolicy.SandboxPolicy.reviewMax {
      table.refuse("sandbox_until", .outOfRange, details: "It lies more than 30 days ahead.")
    }
    return .review(until: until)
  }
}
