import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Events after a purchase that a seed schedules: subscriptions, refunds, restores, spending. The plan has its own
/// random stream, so it changes nothing else in the world.
struct LifecyclePlan: Hashable, Sendable {
  /// Share of subscriptions among the purchases of a phone with an App Store, in thousandths; 0: none are sold.
  var subscribes = 0
  /// Days for which a subscriber keeps access when the card cannot be charged. While faults are active, one day lasts
  /// ten seconds.
  var graceDays = 0
  /// Number of actions of subscribers and the App Store on subscriptions: while faults are active, and afterwards.
  var acts = 0
  var lateActs = 0
  var refunds: [Refund] = []
  /// Number of debits that the backend makes because users spend.
  var debits = 0
  /// The policy for an entitlement that another user restores.
  var restore = RestorePolicy.keepOwner
  /// Chance, in thousandths of sessions, that a user taps "restore purchases"; if above 0, every user does at the end.
  var restores = 0
  /// The policy for units that were spent before a refund takes them back.
  var debt = DebtPolicy.negative

  /// One payment that the App Store refunds.
  struct Refund: Hashable, Sendable {
    let course: Course
    let moment: Moment
  }

  /// How the App Store refunds it.
  enum Course: CaseIterable, Hashable, Sendable {
    case whole
    /// In three parts that add up to the full price.
    case inParts
    /// In two parts that add up to less than the full price.
    case partly
    /// In full; then the refund is reversed.
    case reversed
    /// In full; then the refund is reversed; then in full again.
    case again
    /// A part; then that refund is reversed; then another part.
    case partAgain
  }

  enum Moment: CaseIterable, Hashable, Sendable {
    /// As soon as the payment is charged.
    case soon
    /// Before the backend is told of the payment.
    case beforeDelivery
    case afterDelivery
    case afterSpending
    /// After the App Store has sent it again, under a further transaction id.
    case afterRepeat

    /// The moments for every refund; the last case applies only to non-consumables.
    static let usual: [Moment] = [.soon, .beforeDelivery, .afterDelivery, .afterSpending]
  }

  /// Whether the App Store sells subscriptions.
  var sellsSubscriptions: Bool { subscribes > 0 }

  /// Nothing happens after a purchase.
  init() {}

  init(seed: UInt64) {
    var chance = SeededChance(seed: seed, purpose: "plan of what goes on afterwards")
    if chance.happens(perMille: 420) {
      subscribes = 250 + chance.number(below: 450)
      graceDays = chance.pick([0, 3, 16, 28]) ?? 0
      acts = 1 + chance.number(below: 5)
      lateActs = 1 + chance.number(below: 3)
    }
    if chance.happens(perMille: 500) {
      for _ in 0..<(1 + chance.number(below: 3)) {
        refunds.append(
          Refund(course: chance.pick(Course.allCases) ?? .whole, moment: chance.pick(Moment.usual) ?? .soon))
      }
    }
    if chance.happens(perMille: 500) { debits = 2 + chance.number(below: 5) }
    if chance.happens(perMille: 450) {
      restore = chance.pick(RestorePolicy.allCases) ?? .keepOwner
      restores = 100 + chance.number(below: 400)
    }
    if chance.happens(perMille: 250) { debt = .freeze }
  }
}
