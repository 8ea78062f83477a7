/// Checks the answers to floods. Other checks ensure that floods gave no user anything, and took nothing from any user.
struct FloodCheck: WorldCheck {
  let records: WorldRecords

  /// Checks that no forged data is accepted, and that genuine data is rejected only because of the load.
  func run() {
    for (kind, answers) in context.floodNotes.all {
      let believed = answers.count { kind.isForged && $0.isBelieved }
      if believed > 0 { events.reportViolation("\(believed) requests of a flood of \(kind) were believed") }
      let unfair = Set(answers.filter { !kind.isForged && !$0.isFairToRepeats }.map(\.word)).sorted()
      if !unfair.isEmpty { events.reportViolation("a flood of \(kind), which is genuine, was answered \(unfair)") }
    }
  }
}
