import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Checks the entitlements that were given without a payment. `EntitlementCheck` checks those that were paid: together
/// they are all that a user has.
struct PromotionCheck: WorldCheck {
  let records: WorldRecords

  private var promotions: [WorldPromotions.Promotion] { context.promotions.all }

  func run() async throws {
    guard !promotions.isEmpty else { return }
    for promotion in promotions {
      if promotion.isGiven == nil { events.reportViolation("\(promotion.key) was never answered") }
      let row = try await database.read { try $0.promotionalEntitlement(promotion.key, in: context.appEnvironment) }
      guard promotion.isGiven == true else {
        if row != nil { events.reportViolation("\(promotion.key) was refused, and is there") }
        continue
      }
      let user = context.merges.present(promotion.user)
      if row?.user != user || row?.entitlement.text != promotion.entitlement || row?.until != promotion.until {
        events.reportViolation("\(promotion.key) is \(row.map { "\($0.entitlement) of \($0.user)" } ?? "lost")")
      }
      if (row?.end != nil) != (promotion.taking == .done) {
        events.reportViolation(
          "\(promotion.key) is \(promotion.taking), and its end is \(row?.end == nil ? "not " : "")there")
      }
    }
    for user in context.merges.present(Set(promotions.map(\.user))).sorted() { try await check(user) }
  }

  /// Checks that the answer to the backend shows what was given, and nothing else.
  private func check(_ user: UserIdentifier) async throws {
    let own = promotions.filter { $0.isGiven == true && context.merges.present($0.user) == user }
    let rows = try await database.read {
      try $0.promotionalEntitlements(of: user, in: context.appEnvironment, limit: 1000)
    }
    if Set(rows.map(\.key)) != Set(own.map(\.key)) {
      events.reportViolation("\(user) was given \(own.map(\.key)), and has \(rows.map(\.key))")
    }
    let request = HTTPRequest(
      "GET", WorldShop.serverURL + "/v1/users/\(user)/entitlements",
      fields: ["Authorization": "Bearer \(WorldShop.backendKey)"])
    let answer = try await context.exchange(from: .backend, to: .server).send(request, .seconds(30))
    let list = (try? JSONReader.read(answer.body))?["promotional"]?.array ?? []
    let shown = list.map { body in
      ["entitlement", "state", "expiresAt", "source"].map { body[$0]?.string ?? "none" }.joined(separator: " ")
    }
    let due = Set(own.map(\.entitlement)).sorted().map { name in
      let best = own.filter { $0.entitlement == name }.max { rank($0) < rank($1) }
      let until = best?.until.iso8601 ?? "none"
      return "\(name) \(best.map(state) ?? "none") \(until) promotional"
    }
    if shown != due { events.reportViolation("\(user) must see \(due) and sees \(shown)") }
  }

  private func state(_ promotion: WorldPromotions.Promotion) -> String {
    if promotion.taking == .done { return "revoked" }
    return promotion.until > context.world.now ? "active" : "expired"
  }

  private func rank(_ promotion: WorldPromotions.Promotion) -> (Int, Int64) {
    let order = ["revoked": 0, "expired": 1, "active": 2]
    return (order[state(promotion)] ?? 0, promotion.until.milliseconds)
  }
}
