import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The erasure of a user after everything else has happened, while servers are killed.
struct UserErasures: Sendable {
  let context: SimulationContext
  let servers: [WorldServer]
  let restarts: ServerRestarts

  private static let questionsMax = 60

  func run() async throws {
    let plan = context.plan
    // The records of testers name users as they were.
    guard plan.bookkeeping.erases, plan.sandbox.purchases == 0 else { return }
    var chance = SeededChance(seed: context.seed, purpose: "erasing")
    // Whoever was merged is erased with the other user.
    let merged = Set(context.merges.all.filter { $0.isDone == true }.map(\.user))
    let users = Set(plan.phones.flatMap(\.users)).subtracting(merged)
    guard let user = chance.pick(users.sorted()) else { return }
    let pauses = (0..<plan.bookkeeping.killsOfErasure).map { _ in
      (server: chance.number(below: servers.count), milliseconds: Int64(chance.number(below: 400)))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await ask(for: user) }
      group.addTask {
        for pause in pauses {
          try await context.sleep(.milliseconds(pause.milliseconds))
          servers[pause.server].process?.kill()
          try await restarts.restart(servers[pause.server])
        }
      }
      try await group.waitForAll()
    }
  }

  private func ask(for user: UserIdentifier) async throws {
    let request = HTTPRequest(
      "POST", WorldShop.serverURL + "/v1/users/\(user)/erase",
      fields: ["Authorization": "Bearer \(WorldShop.backendKey)", "Content-Type": "application/json"],
      body: JSONValue.members([("force", .bool(true))]).bytes)
    for _ in 0..<Self.questionsMax {
      let answer = try? await context.exchange(from: .backend, to: .server).send(request, .seconds(20))
      if let answer, answer.status < 500 { return take(answer, user) }
      try await context.sleep(.seconds(4))
    }
    context.events.reportViolation("nobody says whether \(user) is erased")
  }

  private func take(_ answer: HTTPResponse, _ user: UserIdentifier) {
    let body = try? JSONReader.read(answer.body)
    switch answer.status {
    case 200, 201:
      guard let alias = body?["userId"]?.string, body?["erasedAt"] != nil else {
        return context.events.reportViolation("the erasure of \(user) is answered without an alias")
      }
      context.merges.want(
        WorldMerges.Merge(user: user, into: UserIdentifier(alias), isDone: true, isErasure: true))
      context.events.record("backend", "has erased \(user)", mark: .erased)
    default:
      let code = body?["code"]?.string ?? "\(answer.status)"
      context.events.record("backend", "may not erase \(user): \(code)")
      guard ["user_unknown", "erasure_not_possible"].contains(code) else {
        return context.events.reportViolation("the erasure of \(user) is refused: \(code)")
      }
    }
  }
}
