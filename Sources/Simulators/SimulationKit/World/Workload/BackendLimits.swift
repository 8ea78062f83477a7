import HTTPMessages
import PaymentDatabase
import PaymentPrimitives
import StrictJSON

/// Limits of what users may spend in a month. The app's backend sets them while the users buy.
struct BackendLimits: Sendable {
  let context: SimulationContext
  let database: WorldDatabase

  private var limits: WorldLimits { context.limits }

  func run() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "limiting")
    // In most worlds all limits are equal, so that whoever has one has exactly that.
    let amounts: [Int64] = [150, 700, 1300, 3100, 9900]
    let usual = chance.pick(amounts) ?? 700
    let varies = chance.happens(perMille: 300)
    for _ in 0..<context.plan.bookkeeping.limits {
      try await context.sleep(.seconds(Int64(chance.number(below: 200))))
      guard let user = chance.pick(Set(context.plan.phones.flatMap(\.users)).sorted()) else { continue }
      let amount = varies ? chance.pick(amounts) ?? usual : usual
      let number = limits.want(WorldLimits.Limit(user: user, amount: amount))
      // Two requests at the same moment set one limit.
      let isTwice = chance.happens(perMille: 200)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<(isTwice ? 2 : 1) { group.addTask { try await ask(number) } }
        try await group.waitForAll()
      }
    }
  }

  /// Asks several times until there is an answer; always the same.
  private func ask(_ number: Int) async throws {
    let limit = limits.all[number]
    let request = HTTPRequest(
      "PUT", WorldShop.serverURL + "/v1/users/\(limit.user)/spending-limits/CNY",
      fields: ["Authorization": "Bearer \(WorldShop.backendKey)", "Content-Type": "application/json"],
      body: JSONValue.members([("limit", .integer(limit.amount))]).bytes)
    for _ in 0..<3 {
      let answer = try? await context.exchange(from: .backend, to: .server).send(request, .seconds(20))
      if let answer, answer.status < 500 { return try await take(answer, of: number) }
      try await context.sleep(.seconds(4))
    }
    context.events.record("backend", "does not know whether \(limit.user) may spend no more than \(limit.amount)")
  }

  private func take(_ answer: HTTPResponse, of number: Int) async throws {
    let limit = limits.all[number]
    let body = try? JSONReader.read(answer.body)
    guard answer.status == 200, body?["limit"]?.integer == limit.amount, let spent = body?["spent"]?.integer,
      body?["left"]?.integer == max(0, limit.amount - spent)
    else {
      return context.events.reportViolation("the limit of \(limit.user) is answered \(answer.status)")
    }
    context.events.record("backend", "lets \(limit.user) spend \(limit.amount) in a month", mark: .limitSet)
    let place = context.appEnvironment
    let last = try await database.read(in: context) { try $0.wholeJournal(of: place).last?.number ?? 0 }
    limits.note(number) { $0.since = min($0.since ?? last, last) }
    // A second copy of the request may still be under way.
    try await context.sleep(.seconds(20))
    let isMerging = context.merges.all.contains { $0.user == limit.user || $0.into == limit.user }
    limits.note(number) { $0.isAlone = $0.isAlone && !isMerging }
  }

  /// After all faults have ended, the backend repeats every limit that is not answered.
  func settle() async throws {
    let open = limits.all.indices.filter { limits.all[$0].since == nil }
    guard !open.isEmpty else { return }
    try await context.sleep(.minutes(1))
    for number in open { try await ask(number) }
  }
}
