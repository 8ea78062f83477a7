import AppStoreSimulator

/// How the App Store repeats, refunds and sells non-consumables again, as a seed decides. The plan has its own random
/// stream, so it changes nothing else in the world.
struct StoreHabitsPlan: Hashable, Sendable {
  /// Further behaviour settings of the App Store.
  var behaviours: [ApplePlan.Behaviour] = []
  /// Share of non-consumables among the purchases, in thousandths.
  var buysRights = 0
  /// Further refunds with a course and a moment, all of non-consumables.
  var refunds: [LifecyclePlan.Refund] = []
  /// Further partial refunds of consumables.
  var refundsInParts: [LifecyclePlan.Refund] = []
  /// Whether an operator grants a held repeat purchase to its buyer.
  var isClaimed = false

  /// The App Store keeps its usual behaviour.
  init() {}

  init(seed: UInt64, _ hazards: Set<WorldHazard>) {
    drawHabits(seed, hazards)
    var chance = SeededChance(seed: seed, purpose: "plan of an operator's claims")
    isClaimed = chance.happens(perMille: 700) && hazards.contains(.operatorClaims) && buysAgainUnderOldOriginal
  }

  /// Whether a repeat purchase may come under the original id of the first purchase.
  private var buysAgainUnderOldOriginal: Bool {
    behaviours.contains { $0.name == SimulatorBehaviour.oldOriginalWhenBoughtAgain.rawValue }
  }

  private mutating func drawHabits(_ seed: UInt64, _ hazards: Set<WorldHazard>) {
    var chance = SeededChance(seed: seed, purpose: "plan of the App Store's habits")
    guard chance.happens(perMille: 400) else { return }
    let switches: [(WorldHazard, SimulatorBehaviour, perMille: Int)] = [
      (.furtherTokens, .newTokenWhenOwned, 500), (.furtherRestores, .newIdWhenRestored, 400),
      (.boughtAgainUnderOldOriginal, .oldOriginalWhenBoughtAgain, 400),
      (.furtherRefunds, .refundsUnderFurtherIds, 500), (.oneRefundDate, .oneRefundDate, 500),
    ]
    for (hazard, behaviour, perMille) in switches {
      let isOn = chance.happens(perMille: perMille)
      guard isOn, hazards.contains(hazard) else { continue }
      behaviours.append(ApplePlan.Behaviour(name: behaviour.rawValue, value: 1))
    }
    if chance.happens(perMille: 400), hazards.contains(.lateRefunds) {
      let delay = Int64(1000 * (1 + chance.number(below: 600)))
      behaviours.append(ApplePlan.Behaviour(name: SimulatorBehaviour.refundDelayMilliseconds.rawValue, value: delay))
    }
    let isInParts = chance.happens(perMille: 500)
    let hasOneDate = behaviours.contains { $0.name == SimulatorBehaviour.oneRefundDate.rawValue }
    for _ in 0..<(hasOneDate ? 2 : isInParts ? 1 : 0) {
      let course = chance.pick([LifecyclePlan.Course.inParts, .partly]) ?? .partly
      let moment = chance.pick([LifecyclePlan.Moment.soon, .afterDelivery]) ?? .soon
      refundsInParts.append(LifecyclePlan.Refund(course: course, moment: moment))
    }
    guard hazards.contains(.boughtAgain) else { return }
    buysRights = 400
    behaviours.append(ApplePlan.Behaviour(name: SimulatorBehaviour.newIdWhenOwned.rawValue, value: 1))
    let isToldElsewhere = behaviours.contains { $0.name == SimulatorBehaviour.refundsUnderFurtherIds.rawValue }
    for _ in 0..<(1 + chance.number(below: 2)) {
      let course = chance.pick([LifecyclePlan.Course.whole, .reversed, .reversed, .again]) ?? .whole
      let moment = chance.pick([LifecyclePlan.Moment.soon, .beforeDelivery, .afterDelivery, .afterRepeat]) ?? .soon
      refunds.append(LifecyclePlan.Refund(course: course, moment: isToldElsewhere ? .afterRepeat : moment))
    }
  }
}
