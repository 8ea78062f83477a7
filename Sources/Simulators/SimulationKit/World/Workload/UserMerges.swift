import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// Merges of users that the app's backend asks for while everything else goes on.
struct UserMerges: Sendable {
  let context: SimulationContext

  private var merges: WorldMerges { context.merges }

  func run() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "merging")
    var numbering = SeededChance(seed: context.seed, purpose: "orders of both")
    for number in 0..<context.plan.bookkeeping.merges {
      try await context.sleep(.seconds(Int64(60 + chance.number(below: 600))))
      let gone = Set(merges.all.map(\.user))
      let users = Set(context.plan.phones.flatMap(\.users)).subtracting(gone).sorted()
      guard let user = chance.pick(users), let into = chance.pick(users.filter({ $0 != user })) else { continue }
      // The app counts each user's orders by itself, so both may have one with the same number.
      if numbering.happens(perMille: 500) {
        let isOfBoth = numbering.happens(perMille: 700)
        for user in isOfBoth ? [user, into] : [user] { try await order("draft-\(number)", as: user) }
      }
      merges.want(WorldMerges.Merge(user: user, into: into))
      try await ask(for: user, into: into)
      // A repetition answers the same merge.
      if merges.present(user) != user, chance.happens(perMille: 500) { try await ask(for: user, into: into) }
    }
  }

  /// Makes an order with the app's own number. Nobody pays it: no phone buys so many pieces.
  private func order(_ number: String, as user: UserIdentifier) async throws {
    let request = HTTPRequest(
      "POST", WorldShop.serverURL + "/v1/orders",
      fields: [
        "Authorization": "Bearer \(WorldShop.userToken(for: user, at: context.world.now))",
        "Content-Type": "application/json", "Idempotency-Key": "\(number) of \(user)",
      ],
      body: JSONValue.members([
        ("productId", "coins.7"), ("quantity", .integer(9)), ("store", "appStore"), ("platform", "ios"),
        ("reference", .string(number)),
      ]).bytes)
    for _ in 0..<3 {
      let answer = try? await context.exchange(from: .backend, to: .server).send(request, .seconds(20))
      if let answer, answer.status < 500 {
        guard answer.status == 201 || answer.status == 200,
          let id = (try? JSONReader.read(answer.body))?["id"]?.string.flatMap({ OrderIdentifier($0) })
        else { return }
        return merges.note(WorldMerges.Draft(user: user, number: number, order: id))
      }
      try await context.sleep(.seconds(4))
    }
  }

  private func ask(for user: UserIdentifier, into other: UserIdentifier) async throws {
    let request = HTTPRequest(
      "POST", WorldShop.serverURL + "/v1/users/\(other)/merge",
      fields: ["Authorization": "Bearer \(WorldShop.backendKey)", "Content-Type": "application/json"],
      body: JSONValue.members([("from", .string(user.text))]).bytes)
    for _ in 0..<3 {
      let answer = try? await context.exchange(from: .backend, to: .server).send(request, .seconds(20))
      if let answer, answer.status < 500 { return take(answer, user, into: other) }
      try await context.sleep(.seconds(4))
    }
    context.events.record("backend", "does not know whether \(user) was merged into \(other)")
  }

  private func take(_ answer: HTTPResponse, _ user: UserIdentifier, into other: UserIdentifier) {
    let body = try? JSONReader.read(answer.body)
    switch answer.status {
    case 200, 201:
      guard body?["userId"]?.string == other.text, body?["mergedUserId"]?.string == user.text else {
        return context.events.reportViolation("the merge of \(user) is answered with another one")
      }
      merges.note(true, of: user)
      context.events.record("backend", "has merged \(user) into \(other)", mark: .merged)
    default:
      let code = body?["code"]?.string ?? "\(answer.status)"
      context.events.record("backend", "may not merge \(user) into \(other): \(code)")
      // Nothing of a user is here before their first order.
      guard code == "user_unknown", merges.present(user) == user else {
        return context.events.reportViolation("the merge of \(user) is refused: \(code)")
      }
      merges.note(false, of: user)
    }
  }

  /// After all faults have ended, the backend repeats every merge that is not answered.
  func settle() async throws {
    let open = merges.all.filter { $0.isDone == nil }
    guard !open.isEmpty else { return }
    try await context.sleep(.minutes(1))
    for merge in open { try await ask(for: merge.user, into: merge.into) }
  }
}
