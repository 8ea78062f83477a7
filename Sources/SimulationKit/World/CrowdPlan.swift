/// What a seed decides of who else is there: another app of the team on the same server, and people who cheat. It is
/// drawn apart, so that it changes nothing of what else happens.
struct CrowdPlan: Hashable, Sendable {
  /// Purchases in the team's other app.
  var otherPurchases = 0
  /// Refunds of them.
  var otherRefunds = 0
  /// Tries to get what is somebody else's.
  var cheats = 0
  /// How often each of them is repeated at once.
  var repeats = 1

  /// Nobody else.
  init() {}

  init(seed: UInt64, _ hazards: Set<WorldHazard>) {
    var chance = SeededChance(seed: seed, purpose: "plan of the crowd")
    let sellsElsewhere = chance.happens(perMille: 300)
    let (purchases, refunds) = (1 + chance.number(below: 4), chance.number(below: 3))
    if sellsElsewhere, hazards.contains(.secondApp) { (otherPurchases, otherRefunds) = (purchases, refunds) }
    let isCheated = chance.happens(perMille: 300)
    let (count, flood) = (3 + chance.number(below: 8), chance.happens(perMille: 300))
    if isCheated, hazards.contains(.cheats) { (cheats, repeats) = (count, flood ? 8 : 1) }
  }
}
