import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// Units that the app's backend gives to its users: daily rewards, sometimes more than the ceiling allows.
struct BackendCredits: Sendable {
  let context: SimulationContext
  let backend: WorldBackend

  private var gifts: WalletClient { backend.gifts }

  func run() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "giving")
    for number in 0..<context.plan.bookkeeping.credits {
      try await context.sleep(.seconds(Int64(20 + chance.number(below: 160))))
      guard let user = chance.pick(Set(context.plan.phones.flatMap(\.users)).sorted()) else { continue }
      let amount = Int64([5, 20, 45, 61][chance.number(below: 4)])
      var credits = [WalletClient.Debit(key: "gift \(number)", user: user, unit: "coin", amount: amount)]
      // Two at the same moment share what is left of the day.
      if chance.happens(perMille: 300) {
        credits.append(WalletClient.Debit(key: "gift \(number) too", user: user, unit: "coin", amount: amount))
      }
      let wanted = credits
      try await withThrowingTaskGroup(of: Void.self) { group in
        for credit in wanted {
          gifts.want(credit)
          group.addTask { try await ask(for: credit) }
        }
        try await group.waitForAll()
      }
    }
  }

  /// Asks several times until there is an answer; always under the same id.
  private func ask(for credit: WalletClient.Debit) async throws {
    let request = HTTPRequest(
      "POST", WorldShop.serverURL + "/v1/users/\(credit.user)/balances/\(credit.unit)/credits",
      fields: [
        "Authorization": "Bearer \(WorldShop.backendKey)", "Content-Type": "application/json",
        "Idempotency-Key": credit.key,
      ],
      body: JSONValue.members([("amount", .integer(credit.amount)), ("reason", .string("daily reward"))]).bytes)
    for _ in 0..<3 {
      gifts.ask(credit.key)
      let answer = try? await context.exchange(from: .backend, to: .server).send(request, .seconds(20))
      if let answer, answer.status < 500 { return take(answer, of: credit) }
      try await context.sleep(.seconds(4))
    }
    context.events.record("backend", "does not know what became of \(credit.key)")
  }

  private func take(_ answer: HTTPResponse, of credit: WalletClient.Debit) {
    let body = try? JSONReader.read(answer.body)
    switch answer.status {
    case 200, 201:
      guard body?["amount"]?.integer == credit.amount, isAnswer(body, about: credit.user) else {
        return context.events.reportViolation("\(credit.key) is answered with another credit")
      }
      gifts.note(.done(at: context.world.now), of: credit.key)
      context.events.record(
        "backend", "has given \(credit.amount) to \(credit.user): \(credit.key)", mark: .credited)
    default:
      let code = body?["code"]?.string ?? "\(answer.status)"
      gifts.note(.refused(code), of: credit.key)
      let isAboveCeiling = code == "credit_ceiling_reached"
      context.events.record(
        "backend", "may not give \(credit.amount) to \(credit.user): \(credit.key), \(code)",
        mark: isAboveCeiling ? .creditRefused : nil)
      if !isAboveCeiling { context.events.reportViolation("\(credit.key) is refused: \(code)") }
    }
  }

  /// The user, or the one into whom they are being merged.
  private func isAnswer(_ body: JSONValue?, about user: UserIdentifier) -> Bool {
    guard let named = body?["userId"]?.string else { return false }
    let merges = context.merges.all
    var (users, found): (Set<UserIdentifier>, Int) = ([user], 0)
    while users.count != found {
      found = users.count
      users.formUnion(merges.filter { users.contains($0.user) }.map(\.into))
    }
    return users.contains(UserIdentifier(named))
  }

  /// After all faults have ended, the backend repeats every credit that is not known to be booked.
  func settle() async throws {
    let open = gifts.debits.filter { !gifts.isDone($0.key) }
    guard !open.isEmpty else { return }
    try await context.sleep(.minutes(1))
    for credit in open { try await ask(for: credit) }
  }
}
