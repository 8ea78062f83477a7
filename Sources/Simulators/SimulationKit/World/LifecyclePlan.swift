import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// What a seed decides of what goes on after a purchase: subscriptions, refunds, restores, spending. It is drawn apart,
/// so that it changes nothing of what else happens.
struct LifecyclePlan: Hashable, Sendable {
  /// How many purchases of a phone with an App Store are subscriptions, in thousandths; 0 where none are sold.
  var subscribes = 0
  /// For how many days a subscriber keeps access whose card cannot be charged; while things go wrong one lasts ten
  /// seconds.
  var graceDays = 0
  /// What subscribers and the store do to subscriptions while things go wrong, and once all is well.
  var acts = 0
  var lateActs = 0
  var refunds: [Refund] = []
  /// How often the backend takes units that somebody spends.
  var debits = 0
  /// What becomes of a right that another user restores.
  var restore = AppSettings.RestorePolicy.keepOwner
  /// How often somebody taps "restore purchases", in thousandths of sessions; then everybody does at the end.
  var restores = 0
  /// What becomes of units that were spent before they are taken back.
  var debt = DebtPolicy.negative

  /// One payment that the store gives back.
  struct Refund: Hashable, Sendable {
    let course: Course
    let moment: Moment
  }

  /// How the store gives it back.
  enum Course: CaseIterable, Hashable, Sendable {
    case whole
    /// In three parts, which come to the whole.
    case inParts
    /// In two parts, which leave something.
    case partly
    /// All of it, and then it takes that back.
    case reversed
    /// All of it, takes that back, and gives all of it back once more.
    case again
    /// A part, takes that back, and gives another part back.
    case partAgain
  }

  enum Moment: CaseIterable, Hashable, Sendable {
    /// As soon as it is charged.
    case soon
    /// The backend was not told of it yet.
    case beforeDelivery
    case afterDelivery
    case afterSpending
    /// The store has given it again, under a further id.
    case afterRepeat

    /// Those of every refund; the last is for what lasts.
    static let usual: [Moment] = [.soon, .beforeDelivery, .afterDelivery, .afterSpending]
  }

  /// Whether the App Store sells subscriptions.
  var sellsSubscriptions: Bool { subscribes > 0 }

  /// Nothing goes on after a purchase.
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
      restore = chance.pick(AppSettings.RestorePolicy.allCases) ?? .keepOwner
      restores = 100 + chance.number(below: 400)
    }
    if chance.happens(perMille: 250) { debt = .freeze }
  }
}
