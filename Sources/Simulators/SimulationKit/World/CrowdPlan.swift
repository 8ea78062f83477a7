import PaymentPrimitives

/// Other activity that a seed schedules: another app of the team on the same server, and users who cheat. The plan has
/// its own random stream, so it changes nothing else in the world.
struct CrowdPlan: Hashable, Sendable {
  /// Purchases in the team's other app.
  var otherPurchases = 0
  var otherRefunds = 0
  /// How the configuration treats the other app at first.
  var otherBegins = OtherShop.Standing.sells
  /// Periods in which the configuration treats the other app differently, one after the other.
  var otherSpells: [Spell] = []
  /// Whether its customers pause between tap, payment and submission to the server.
  var isOtherSlow = false
  /// Whether the configuration of the other app ever differs from the normal one.
  var isOtherTended: Bool { otherBegins != .sells || !otherSpells.isEmpty }
  /// Attempts to get what belongs to another user.
  var cheats = 0
  /// How often each attempt is repeated at once.
  var repeats = 1

  /// A period in which the other app is retired, or not configured.
  struct Spell: Hashable, Sendable {
    let standing: OtherShop.Standing
    let after: TimeSpan
    let lasts: TimeSpan
  }

  init() {}

  init(seed: UInt64, _ hazards: Set<WorldHazard>) {
    var chance = SeededChance(seed: seed, purpose: "plan of the crowd")
    let sellsElsewhere = chance.happens(perMille: 300)
    let (purchases, refunds) = (1 + chance.number(below: 4), chance.number(below: 3))
    if sellsElsewhere, hazards.contains(.secondApp) { (otherPurchases, otherRefunds) = (purchases, refunds) }
    if otherPurchases > 0, hazards.contains(.appsComeAndGo) { drawSpells(seed) }
    let isCheated = chance.happens(perMille: 300)
    let (count, flood) = (3 + chance.number(below: 8), chance.happens(perMille: 300))
    if isCheated, hazards.contains(.cheats) { (cheats, repeats) = (count, flood ? 8 : 1) }
  }

  private mutating func drawSpells(_ seed: UInt64) {
    var chance = SeededChance(seed: seed, purpose: "plan of the other app's standing")
    guard chance.happens(perMille: 700) else { return }
    isOtherSlow = true
    if chance.happens(perMille: 300) { otherBegins = .absent }
    for _ in 0..<(1 + chance.number(below: 2)) {
      otherSpells.append(
        Spell(
          standing: chance.happens(perMille: 600) ? .absent : .retired,
          after: .seconds(Int64(30 + chance.number(below: 300))),
          lasts: .seconds(Int64(30 + chance.number(below: 300)))))
    }
  }
}
