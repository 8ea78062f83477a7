import AppStoreSimulator
import PaymentPrimitives

/// The server's connection to Apple's servers, and the phones with receipts only, as a seed decides. The plan has its
/// own random stream, so it changes nothing else in the world.
struct ApplePlan: Hashable, Sendable {
  /// Whether there is a key for the App Store Server API. Without a key the server neither asks Apple nor compares.
  var hasKey = false
  /// Phones that send the app receipt, because their app has no other evidence.
  var receiptPhones: Set<Int> = []
  /// Chance that a receipt is older than its queue, in thousandths.
  var receiptLags = 0
  /// Interval of the comparison with Apple's records while faults are active; nil: the same as afterwards.
  var comparison: TimeSpan?
  /// The faults of Apple's servers until all faults end.
  var faults: [PlannedAPIFault] = []
  /// Further behaviour settings of the App Store that only a server with a key can handle.
  var behaviours: [Behaviour] = []
  /// Chance, in thousandths, that parents approve within minutes while no notification comes. Then the server learns
  /// it only from Apple's records.
  var approvedSoon = 0
  /// Whether the first phone is lost.
  var losesPhone = false

  struct Behaviour: Hashable, Sendable {
    let name: String
    let value: Int64
  }

  /// Interval of the comparison with Apple's records after all faults have ended; the world goes on for days.
  static let quietComparison = TimeSpan.hours(4)

  /// No queries to Apple, and no faults.
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
      behaviours.append(
        Behaviour(name: SimulatorBehaviour.loseNotifications.rawValue, value: Int64(1 + chance.number(below: 6))))
    case 4..<6: behaviours.append(Behaviour(name: SimulatorBehaviour.notifyNever.rawValue, value: 1))
    default: break
    }
    guard !behaviours.isEmpty else { return }
    approvedSoon = 800
    losesPhone = chance.happens(perMille: 600)
  }

  private static let asked: [AppStoreAPIOperation] = [
    .transactionInfo, .history, .notificationHistory, .finish, .setAppAccountToken,
  ]
}
