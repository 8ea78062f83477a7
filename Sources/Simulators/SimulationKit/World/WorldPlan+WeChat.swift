import PaymentPrimitives
import WeChatPaySimulator

/// The users who pay through WeChat Pay, as a seed decides. The plan has its own random stream, so it changes nothing
/// for those who buy at the App Store.
struct WeChatPlan: Hashable, Sendable {
  var phones: [WorldPlan.PhonePlan] = []
  /// How long an order can be paid.
  var orderLifetime = TimeSpan.hours(2)
  var weChatPayKills = 0
  var refunds = 0
  /// Number of orders that a user closes while they may be about to be paid.
  var closings = 0
  /// The faults of WeChat Pay until all faults end.
  var faults: [PlannedFault] = []
  /// Its behaviour settings at the start.
  var behaviours: [Behaviour] = []
  /// Chance that the OpenSDK reports that WeChat was not opened, in thousandths.
  var notOpened = 0
  /// Chance that the OpenSDK's callback never comes, in thousandths.
  var callbackLost = 0
  /// Chance that it comes late or only at the next start of the app, in thousandths.
  var callbackLate = 0

  struct Behaviour: Hashable, Sendable {
    let behaviour: WeChatPayBehaviour
    let value: Int64
    /// Whether it is reset when all faults end.
    let heals: Bool
  }

  /// Whether WeChat Pay may sign false data.
  var lies: Bool { faults.contains { $0.fault == .alteredAmount || $0.fault == .otherOrder } }

  init() {}

  init(seed: UInt64, users: [UserIdentifier]) {
    var chance = SeededChance(seed: seed, purpose: "plan of WeChat")
    let count = chance.happens(perMille: 550) ? 0 : 1 + (chance.happens(perMille: 200) ? 1 : 0)
    for _ in 0..<count { phones.append(Self.phone(&chance, users)) }
    guard !phones.isEmpty else { return }
    orderLifetime = chance.pick([.minutes(2), .minutes(6), .minutes(15), .hours(2)]) ?? .hours(2)
    if chance.happens(perMille: 700) { weChatPayKills = 1 + chance.number(below: 4) }
    if chance.happens(perMille: 500) { refunds = 1 + chance.number(below: 3) }
    if chance.happens(perMille: 400) { closings = 1 + chance.number(below: 3) }
    if chance.happens(perMille: 300) { notOpened = 1 + chance.number(below: 300) }
    if chance.happens(perMille: 500) { callbackLost = 1 + chance.number(below: 700) }
    if chance.happens(perMille: 500) { callbackLate = 1 + chance.number(below: 700) }
    drawFaults(&chance)
    drawBehaviours(&chance)
  }

  private static func phone(_ chance: inout SeededChance, _ users: [UserIdentifier]) -> WorldPlan.PhonePlan {
    // A user may have an Apple device and an Android phone: one user, two stores.
    var own: [UserIdentifier] = [chance.happens(perMille: 300) ? chance.pick(users) ?? "dan" : "dan"]
    if chance.happens(perMille: 500) { own.append("eve") }
    let skews: [TimeSpan] = [.zero, .zero, .zero, .minutes(3), -.minutes(40), .days(3), -.days(3650)]
    var phone = WorldPlan.PhonePlan(
      account: "", users: own, sessions: 2 + chance.number(below: 2), skew: chance.pick(skews) ?? .zero,
      isLost: chance.happens(perMille: 120), losesVault: chance.happens(perMille: 250), isStoreKit1: false)
    phone.isAndroid = true
    return phone
  }

  private mutating func drawFaults(_ chance: inout SeededChance) {
    let calls: [WeChatPayFault] = [
      .unreachable, .loseRequest, .htmlError, .serviceUnavailable, .systemError, .frequencyLimited, .loseAnswer, .slow,
      .htmlAfterEffect, .systemErrorAfterEffect, .cutAnswer, .unsigned, .wrongSignature, .probe, .unknownKey,
      .staleTimestamp,
    ]
    for fault in calls where chance.happens(perMille: 200) {
      faults.append(PlannedFault(fault, count: nil, percent: Int64(1 + chance.number(below: 30))))
    }
    let notifications: [WeChatPayFault] = [
      .loseNotification, .loseAttempt, .probe, .wrongSignature, .unsigned, .otherAPIv3Key, .otherMerchant,
      .unknownEventType, .cutAnswer,
    ]
    for operation in [WeChatPayOperation.paymentNotification, .refundNotification] {
      for fault in notifications where chance.happens(perMille: 200) {
        faults.append(PlannedFault(fault, of: operation, count: nil, percent: Int64(1 + chance.number(below: 50))))
      }
    }
    for fault in [WeChatPayFault.alteredAmount, .otherOrder] where chance.happens(perMille: 200) {
      for operation in [WeChatPayOperation.query, .paymentNotification] {
        faults.append(PlannedFault(fault, of: operation, count: nil, percent: Int64(1 + chance.number(below: 40))))
      }
    }
    if chance.happens(perMille: 200) {
      faults.append(PlannedFault(.payBeforeAnswer, of: .prepay, count: nil, percent: 20))
    }
    for fault in [WeChatPayFault.abnormalRefund, .closedRefund, .notEnough] where chance.happens(perMille: 250) {
      faults.append(PlannedFault(fault, of: .refund, count: nil, percent: Int64(10 + chance.number(below: 40))))
    }
  }

  private mutating func drawBehaviours(_ chance: inout SeededChance) {
    let all: [(WeChatPayBehaviour, perMille: Int, most: Int, heals: Bool)] = [
      (.queryLagSeconds, 300, 40, true), (.visibilityLagMilliseconds, 200, 4000, true),
      (.expiryLagSeconds, 200, 120, true), (.refundSeconds, 300, 600, true), (.outTradeNoUsed, 300, 1, false),
      (.otherSpellings, 300, 1, false), (.closeUnknownNotFound, 300, 1, false), (.errorsUnsigned, 200, 1, true),
      (.variedForm, 300, 1, false), (.variedBills, 300, 1, false), (.refundsWithoutPause, 500, 1, false),
      (.notificationDelayMilliseconds, 300, 120_000, true), (.notificationJitterMilliseconds, 300, 30_000, true),
      (.duplicateNotifications, 300, 3, true), (.probePercent, 300, 40, true), (.notifyNever, 150, 1, true),
      (.noAssociatedData, 200, 1, false),
    ]
    for (behaviour, perMille, most, heals) in all where chance.happens(perMille: perMille) {
      behaviours.append(Behaviour(behaviour: behaviour, value: Int64(1 + chance.number(below: most)), heals: heals))
    }
  }
}
