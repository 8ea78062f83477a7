import PaymentEngine
import PaymentPrimitives

/// What the backend of a world books by itself: units that it gives, and whether events are told. The plan has its own
/// random stream, so it changes nothing else in the world.
struct BookkeepingPlan: Hashable, Sendable {
  /// Number of credits that the backend makes.
  var credits = 0
  /// Number of merges of users that the backend asks for.
  var merges = 0
  /// Number of times that the backend limits what a user may spend in a month.
  var limits = 0
  /// Number of entitlements that the backend gives without a payment.
  var promotions = 0
  /// Whether the backend erases a user in the end, and how often servers are killed meanwhile.
  var erases = false
  var killsOfErasure = 0
  /// Whether the server makes events.
  var tellsEvents = false
  /// Number of customers who complain at WeChat Pay.
  var complaints = 0
  /// Number of buttons that operators press in the console, and how often a server is killed meanwhile.
  var presses = 0
  var killsOfPresses = 0

  /// What may be given to a user in a day: low enough for worlds to reach it.
  static let ceiling = CreditCeiling(unit: "coin", perUserAndDay: 60)

  /// Nothing.
  init() {}

  init(seed: UInt64, _ hazards: Set<WorldHazard>) {
    var chance = SeededChance(seed: seed, purpose: "plan of the books")
    let (gives, tells) = (chance.happens(perMille: 400), chance.happens(perMille: 400))
    let count = 2 + chance.number(below: 5)
    if hazards.contains(.credits), gives { credits = count }
    let (joins, joined) = (chance.happens(perMille: 300), 1 + chance.number(below: 2))
    if hazards.contains(.merges), joins { merges = joined }
    tellsEvents = hazards.contains(.events) && tells
    let (promotes, promoted) = (chance.happens(perMille: 400), 1 + chance.number(below: 4))
    if hazards.contains(.promotions), promotes { promotions = promoted }
    let (erases, kills) = (chance.happens(perMille: 300), chance.number(below: 4))
    if hazards.contains(.erasures) { (self.erases, killsOfErasure) = (erases, kills) }
    let (works, pressed, killed) = (chance.happens(perMille: 400), 3 + chance.number(below: 6), chance.number(below: 4))
    if hazards.contains(.operators), works { (presses, killsOfPresses) = (pressed, killed) }
    var limiting = SeededChance(seed: seed, purpose: "spending limits")
    let (isLimited, limited) = (limiting.happens(perMille: 250), 1 + limiting.number(below: 3))
    if hazards.contains(.limits), isLimited { limits = limited }
    var complaining = SeededChance(seed: seed, purpose: "plan of complaints")
    let (complain, complained) = (complaining.happens(perMille: 400), 1 + complaining.number(below: 3))
    if hazards.contains(.complaints), complain { complaints = complained }
  }
}
