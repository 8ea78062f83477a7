import AppStoreSimulator
import PaymentPrimitives

/// What a seed decides of the shop's own way to Apple's servers, and of phones that have receipts alone. It is drawn
/// apart, so that it changes nothing of what else happens.
struct ApplePlan: Hashable, Sendable {
  /// Whether the shop has a key for the App Store Server API. Without one nothing is asked and nothing compared.
  var hasKey = false
  /// Phones that send the app receipt, because their app knows nothing else.
  var receiptPhones: Set<Int> = []
  /// How often a receipt lags behind its queue, in thousandths.
  var receiptLags = 0
  /// How often the ledger is compared with Apple's records while things go wrong; nil for as seldom as afterwards.
  var comparison: TimeSpan?
  /// What Apple's servers do wrong until everything heals.
  var faults: [PlannedAPIFault] = []
  /// Further knobs of the App Store, which only a shop that asks Apple survives.
  var knobs: [Knob] = []
  /// How often parents approve within minutes while no notification comes, in thousandths: then nobody tells the server
  /// but Apple's records.
  var approvedSoon = 0
  /// Whether the first phone is lost.
  var losesPhone = false

  struct Knob: Hashable, Sendable {
    let name: String
    let value: Int64
  }

  /// How often the ledger is compared with Apple's records once all is well; the world goes on for days.
  static let quietComparison = TimeSpan.hours(4)

  /// Nothing is asked of Apple, and nothing goes wrong.
  init() {}

  init(seed: UInt64, phones: [WorldPlan.PhonePlan]) {
    var chance = SeededChance(seed: seed, purpose: "plan of Apple's servers")
    for (number, phone) in phones.enumerated() where phone.isStoreKit1 && chance.happens(perMille: 800) {
      receiptPhones.insert(number)
    }
    if chance.happens(perMille: 500) { receiptLags = 1 + chance.number(below: 600) }
    hasKey = chance.happens(perMille: 600)
    guard hasKey else { return }
    if chance.happens(perMille: 600) { comparison = chance.pick([.minutes(1), .minutes(2), .minutes(5)]) }
    for fault in AppStoreAPIFault.allCases where chance.happens(perMille: 250) {
      let operation = chance.happens(perMille: 500) ? chance.pick(Self.asked) : nil
      faults.append(
        PlannedAPIFault(
          fault, of: operation, skip: Int64(chance.number(below: 6)), count: Int64(1 + chance.number(below: 6))))
    }
    switch chance.number(below: 10) {
    case 0..<4:
      knobs.append(Knob(name: SimulatorKnob.loseNotifications.rawValue, value: Int64(1 + chance.number(below: 6))))
    case 4..<6: knobs.append(Knob(name: SimulatorKnob.notifyNever.rawValue, value: 1))
    default: break
    }
    guard !knobs.isEmpty else { return }
    approvedSoon = 800
    losesPhone = chance.happens(perMille: 600)
  }

  private static let asked: [AppStoreAPIOperation] = [
    .transactionInfo, .history, .notificationHistory, .finish, .setAppAccountToken,
  ]
}
