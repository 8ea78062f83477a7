import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// Entitlements that the app's backend gives its users until a date, and takes back, while everything else goes on.
struct BackendPromotions: Sendable {
  let context: SimulationContext

  private var promotions: WorldPromotions { context.promotions }

  func run() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "promotions")
    for number in 0..<context.plan.bookkeeping.promotions {
      try await context.sleep(.seconds(Int64(20 + chance.number(below: 300))))
      guard let user = chance.pick(Set(context.plan.phones.flatMap(\.users)).sorted()) else { continue }
      let name = ["plus", "premium", "season"][chance.number(below: 3)]
      // Some end before the world does.
      let until = context.world.now + .days([3, 5, 40, 200][chance.number(below: 4)])
      let promotion = WorldPromotions.Promotion(
        key: "promotion-\(number)", user: user, entitlement: name, until: until)
      promotions.want(promotion)
      // Two requests with one id at the same moment are one.
      let isTwice = chance.happens(perMille: 200)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<(isTwice ? 2 : 1) { group.addTask { try await give(promotion) } }
        try await group.waitForAll()
      }
      guard chance.happens(perMille: 300) else { continue }
      try await context.sleep(.seconds(Int64(chance.number(below: 200))))
      promotions.note(promotion.key) { $0.taking = .wanted }
      try await takeBack(promotion)
    }
  }

  /// Asks several times until there is an answer; always the same.
  private func ask(_ path: String, _ fields: [(String, JSONValue?)], key: String? = nil) async throws -> HTTPResponse? {
    var request = HTTPRequest(
      "POST", WorldShop.serverURL + path,
      fields: ["Authorization": "Bearer \(WorldShop.backendKey)", "Content-Type": "application/json"],
      body: JSONValue.members(fields).bytes)
    request.fields.set("Idempotency-Key", key)
    for _ in 0..<3 {
      let answer = try? await context.exchange(from: .backend, to: .server).send(request, .seconds(20))
      if let answer, answer.status < 500 { return answer }
      try await context.sleep(.seconds(4))
    }
    return nil
  }

  private func give(_ promotion: WorldPromotions.Promotion) async throws {
    let answer = try await ask(
      "/v1/users/\(promotion.user)/promotional-entitlements",
      [
        ("entitlement", .string(promotion.entitlement)), ("until", .string(promotion.until.iso8601)),
        ("reason", "an apology"),
      ], key: promotion.key)
    guard let answer else {
      return context.events.record("backend", "does not know whether \(promotion.key) was given")
    }
    let body = try? JSONReader.read(answer.body)
    guard answer.status != 200, answer.status != 201 else {
      guard body?["id"]?.string == promotion.key, body?["entitlement"]?.string == promotion.entitlement else {
        return context.events.reportViolation("\(promotion.key) is answered with another one")
      }
      promotions.note(promotion.key) { $0.isGiven = true }
      return context.events.record(
        "backend", "has given \(promotion.entitlement) to \(promotion.user): \(promotion.key)",
        mark: .entitlementGiven)
    }
    let code = body?["code"]?.string ?? "\(answer.status)"
    context.events.record("backend", "may not give \(promotion.entitlement) to \(promotion.user): \(code)")
    // The configuration may drop or rename what gives it.
    guard code == "entitlement_unknown" else {
      return context.events.reportViolation("\(promotion.key) is refused: \(code)")
    }
    promotions.note(promotion.key) { if $0.isGiven == nil { $0.isGiven = false } }
  }

  private func takeBack(_ promotion: WorldPromotions.Promotion) async throws {
    let answer = try await ask(
      "/v1/users/\(promotion.user)/promotional-entitlements/\(promotion.key)/revoke", [("reason", "a mistake")])
    guard let answer else { return context.events.record("backend", "does not know whether \(promotion.key) ended") }
    let code = (try? JSONReader.read(answer.body))?["code"]?.string
    guard answer.status == 200 || code == "promotional_unknown" else {
      return context.events.reportViolation("\(promotion.key) is not taken back: \(code ?? "\(answer.status)")")
    }
    // It may arrive yet: a request on its way is not refused.
    guard answer.status == 200 else { return }
    promotions.note(promotion.key) { ($0.taking, $0.isGiven) = (.done, true) }
    context.events.record("backend", "has taken \(promotion.key) back", mark: .entitlementRevoked)
  }

  /// After all faults have ended, the backend repeats everything whose outcome it does not know.
  func settle() async throws {
    guard !promotions.all.isEmpty else { return }
    try await context.sleep(.minutes(1))
    for promotion in promotions.all where promotion.isGiven != true { try await give(promotion) }
    for promotion in promotions.all where promotion.isGiven == true && promotion.taking == .wanted {
      try await takeBack(promotion)
    }
  }
}
