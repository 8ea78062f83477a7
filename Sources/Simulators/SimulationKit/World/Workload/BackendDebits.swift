import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// Debits that the app's backend makes because users spend.
struct BackendDebits: Sendable {
  let context: SimulationContext
  let backend: WorldBackend

  private var till: WalletClient { backend.till }

  /// Users spend a part, all, or more than they have; sometimes twice at the same moment.
  func run() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "spending")
    for number in 0..<context.plan.aftermath.debits {
      try await context.sleep(.seconds(Int64(20 + chance.number(below: 140))))
      guard let debit = debit(number, &chance) else { continue }
      var debits = [debit]
      if chance.happens(perMille: 300) {
        debits.append(
          WalletClient.Debit(key: debit.key + " too", user: debit.user, unit: debit.unit, amount: debit.amount))
      }
      let wanted = debits
      try await withThrowingTaskGroup(of: Void.self) { group in
        for debit in wanted {
          till.want(debit)
          group.addTask { try await ask(for: debit) }
        }
        try await group.waitForAll()
      }
    }
  }

  private func debit(_ number: Int, _ chance: inout SeededChance) -> WalletClient.Debit? {
    let unit: UnitName = "coin"
    var wallets: [UserIdentifier: Int64] = [:]
    for entry in backend.book.entries where entry.unit == unit {
      wallets[entry.user, default: 0] += entry.type == "grant.reversed" ? -entry.units : entry.units
    }
    guard let user = chance.pick(wallets.keys.sorted()) else { return nil }
    let has = max(0, (wallets[user] ?? 0) - till.spent(by: user, of: unit))
    let some = Int64(1 + chance.number(below: Int(max(1, has))))
    let amount = [some, some, max(1, has), has + some][chance.number(below: 4)]
    return WalletClient.Debit(key: "spending \(number)", user: user, unit: unit, amount: amount)
  }

  /// Asks several times until there is an answer; always under the same id.
  private func ask(for debit: WalletClient.Debit) async throws {
    let path = "/v1/users/\(debit.user)/balances/\(debit.unit)/debits"
    let request = HTTPRequest(
      "POST", WorldShop.serverURL + path,
      fields: [
        "Authorization": "Bearer \(WorldShop.backendKey)", "Content-Type": "application/json",
        "Idempotency-Key": debit.key,
      ],
      body: JSONValue.members([("amount", .integer(debit.amount)), ("reason", .string("a sword"))]).bytes)
    for _ in 0..<3 {
      till.ask(debit.key)
      let answer = try? await context.exchange(from: .backend, to: .server).send(request, .seconds(20))
      if let answer, answer.status < 500 { return take(answer, of: debit) }
      try await context.sleep(.seconds(4))
    }
    context.events.record("backend", "does not know what became of \(debit.key)")
  }

  private func take(_ answer: HTTPResponse, of debit: WalletClient.Debit) {
    let body = try? JSONReader.read(answer.body)
    switch answer.status {
    case 200, 201:
      guard body?["amount"]?.integer == debit.amount, isAnswer(body, about: debit.user) else {
        return context.events.reportViolation("\(debit.key) is answered with another debit")
      }
      let questions = till.debits.first { $0.key == debit.key }?.questions ?? 0
      let isRepeat = answer.status == 200 && questions > 1
      till.note(.done(at: context.world.now), of: debit.key)
      context.events.record(
        "backend", "has taken \(debit.amount) from \(debit.user): \(debit.key)", mark: isRepeat ? .debitRepeated : nil)
    default:
      let code = body?["code"]?.string ?? "\(answer.status)"
      till.note(.refused(code), of: debit.key)
      context.events.record(
        "backend", "may not take \(debit.amount) from \(debit.user): \(debit.key), \(code)",
        mark: code == "insufficient_balance" ? .debitInsufficient : nil)
      if code != "insufficient_balance", code != "balance_frozen" {
        context.events.reportViolation("\(debit.key) is refused: \(code)")
      }
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

  /// After all faults have ended, the backend repeats every debit that is not known to be booked. An earlier error may
  /// be wrong by now: a delayed copy of the same request may have arrived after it.
  func settle() async throws {
    let open = till.debits.filter { !till.isDone($0.key) }
    guard !open.isEmpty else { return }
    try await context.sleep(.minutes(1))
    for debit in open { try await ask(for: debit) }
  }
}
