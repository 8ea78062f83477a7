import AppStoreSimulator
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import WeChatPaySimulator

extension Scenario {
  /// Plays the scenario in its own world, on simulated time: the same seed gives the same run, to the last step.
  ///
  /// - Parameters:
  ///   - substitutions: the parts that a test replaces; default: none.
  ///   - keepsStory: whether the report also contains the trace of the world's parts.
  package func run(seed: UInt64 = 1, substitutions: Substitutions = Substitutions(), keepsTrace: Bool = false)
    -> ScenarioReport
  {
    var plan = WorldPlan(phones: cast.phones)
    plan.sellsSubscriptions = cast.sellsSubscriptions
    let questions = ScenarioQuestions()
    var watched = substitutions
    watched.weChatPay = { questions.noting(substitutions.weChatPay($0)) }
    let context = SimulationContext(seed: seed, substitutions: watched, keepsLines: keepsTrace, plan: plan)
    let parts = ScenarioParts(context)
    let play = ScenarioPlay(parts, questions)
    var report = ScenarioReport(name: name)
    do {
      report.findings = try context.world.perform(in: context.director) {
        try await parts.start()
        try await self.play(play)
        return try await end(play, parts)
      }
    } catch is SimulatedWorld.Stuck {
      context.events.reportViolation("the scenario stands still before its end")
    } catch {
      context.events.reportViolation("the scenario broke off: \(error)")
    }
    if context.world.escapedJobs > 0 {
      context.events.reportViolation("\(context.world.escapedJobs) jobs left the world")
    }
    report.steps = play.steps
    report.problems = context.events.problems
    report.events = context.events.lines
    context.end()
    return report
  }

  /// Runs the world to its end: users open their apps again, open orders expire within a week, and the oracle checks
  /// everything.
  private func end(_ play: ScenarioPlay, _ parts: ScenarioParts) async throws -> [ScenarioReport.Finding] {
    // Judge now: a week later subscriptions have renewed or ended.
    let findings = try await verdict(play, parts)
    for phone in parts.phones { phone.run?.process.kill() }
    guard !cast.sellsSubscriptions else {
      try await audit(parts)
      return findings
    }
    for phone in parts.phones where !phone.plan.isLost { try await parts.director.visit(phone) }
    parts.appStore.sleep()
    try await play.pass(.hours(30))
    parts.weChatPay.sleep()
    try await play.pass(.hours(8 * 24 - 30))
    await parts.appStore.start()
    await parts.weChatPay.start()
    for phone in parts.phones where !phone.plan.isLost { try await parts.director.visit(phone) }
    try await play.pass(.hours(2))
    try await judge(parts)
    return findings
  }

  /// The audit of the money invariants, on all rows.
  private func audit(_ parts: ScenarioParts) async throws {
    let report = try await PaymentAudit(atRest: false).run(on: parts.ledger.database)
    for violation in report.violations { parts.context.events.reportViolation("the audit finds: \(violation)") }
  }

  private func judge(_ parts: ScenarioParts) async throws {
    let (charges, transactions, notifications) = try await parts.appStore.insist { store in
      (await store.charges(), await store.transactions(), await store.notifications())
    }
    let (orders, refunds) = try await parts.weChatPay.insist { (await $0.orders(), await $0.refunds()) }
    var oracle = WorldOracle(
      context: parts.context, charges: charges, transactions: transactions, phones: parts.phones,
      entries: parts.backend.book.entries, database: parts.ledger.database)
    oracle.truths = AppleTruth.truths(of: notifications, [:])
    oracle.weChatOrders = orders
    oracle.weChatRefunds = refunds
    try await oracle.judge()
  }

  /// Checks the ledger, after 15 minutes in which all pending work can finish.
  private func verdict(
    _ play: ScenarioPlay, _ parts: ScenarioParts
  ) async throws -> [ScenarioReport.Finding] {
    try await play.pass(.minutes(15))
    let charges = try await parts.appStore.insist { await $0.charges() }.count
    let paid = try await parts.weChatPay.insist { await $0.orders() }.count { $0.paidAt != nil }
    let ledger = parts.ledger
    let grants = try await ledger.grants().count
    let told = expected.told ?? (expected.charges == 0 ? [:] : ["grant.created": expected.charges])
    var findings: [ScenarioReport.Finding] = []
    func find(_ holds: Bool, _ english: String, chinese: String) {
      findings.append(ScenarioReport.Finding(text: BilingualText(english, chinese), holds: holds))
    }
    find(
      charges + paid == expected.charges, "charged by the stores: \(charges + paid) (must be \(expected.charges))",
      chinese: "商店扣款：\(charges + paid) 笔（应为 \(expected.charges)）")
    find(
      grants == (expected.grants ?? expected.charges),
      "granted by the server: \(grants) (must be \(expected.grants ?? expected.charges))",
      chinese: "服务器入账：\(grants) 笔（应为 \(expected.grants ?? expected.charges)）")
    find(
      ledger.told == told, "the backend has booked: \(Self.text(ledger.told)) (must be \(Self.text(told)))",
      chinese: "后端已登记：\(Self.text(ledger.told))（应为 \(Self.text(told))）")
    for user in Set(cast.phones.flatMap(\.users)).sorted() {
      let (coins, rights) = (try await ledger.coins(of: user), try await ledger.rights(of: user))
      let (due, dueRights) = (expected.coins[user] ?? 0, expected.rights[user] ?? [])
      let list = rights.sorted().joined(separator: ", ")
      find(
        coins == due && rights == dueRights,
        "\(user) has \(coins) coins" + (rights.isEmpty ? "" : " and the right \(list)")
          + (coins == due && rights == dueRights ? "" : " (must be \(due), \(dueRights.sorted()))"),
        chinese: "\(user) 现有 \(coins) 金币" + (rights.isEmpty ? "" : "，权益 \(list)")
          + (coins == due && rights == dueRights ? "" : "（应为 \(due)，\(dueRights.sorted())）"))
    }
    return findings
  }

  private static func text(_ counts: [String: Int]) -> String {
    counts.isEmpty ? "0" : counts.sorted { $0.key < $1.key }.map { "\($0.key) × \($0.value)" }.joined(separator: ", ")
  }
}
