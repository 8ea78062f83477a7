import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore

// Events after a purchase: changes of subscriptions, and refunds by the App Store.

extension Workload {
  private var plan: LifecyclePlan { context.plan.aftermath }

  // MARK: subscriptions

  /// Switches the App Store between months that last minutes and real months.
  func hurry(_ on: Bool) async throws {
    guard plan.sellsSubscriptions else { return }
    try await appStore.insist { try await $0.setBehaviour(.minutePeriodsInProduction, to: on ? 1 : 0) }
  }

  /// Actions of subscribers in the App Store and on their cards, while faults are active.
  func tendSubscriptions() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "subscribers")
    for _ in 0..<plan.acts {
      try await context.sleep(.seconds(Int64(20 + chance.number(below: 100))))
      try await act(isLate: false, &chance)
    }
  }

  /// The same actions after all faults have ended; then months have their real length again. A subscription that is
  /// active at that moment still exists when the world ends.
  func endHurry() async throws {
    guard plan.sellsSubscriptions else { return }
    var chance = SeededChance(seed: context.seed, purpose: "subscribers later")
    for _ in 0..<plan.lateActs {
      try await context.sleep(.seconds(Int64(60 + chance.number(below: 240))))
      try await act(isLate: true, &chance)
    }
    try await hurry(false)
  }

  /// The latest transaction of each subscription.
  private func latestPeriods() async throws -> [SimulatedTransaction] {
    let all = try await appStore.insist { await $0.transactions() }.filter { $0.period != nil }
    let lines = Dictionary(grouping: all, by: \.originalId)
    return lines.sorted { $0.key < $1.key }.compactMap(\.value.last)
  }

  /// One action on a random subscription. If the App Store rejects the action, the error is ignored, because a user
  /// could not do it either.
  private func act(isLate: Bool, _ chance: inout SeededChance) async throws {
    guard let latest = chance.pick(try await latestPeriods()) else { return }
    let (line, owner) = (latest.originalId, latest.owner)
    let record = { (what: String) in context.events.record("App Store", "\(owner.account) \(what)") }
    switch chance.number(below: isLate ? 8 : 7) {
    case 0:
      record("turns the renewal of \(line) off")
      _ = try? await appStore.insist { try await $0.subscriptions.setAutoRenew(line, to: false) }
    case 1:
      record("turns the renewal of \(line) on")
      _ = try? await appStore.insist { try await $0.subscriptions.setAutoRenew(line, to: true) }
    case 2, 3, 4:
      try await set(owner.account, canPay: false)
      let span = TimeSpan.seconds(Int64(60 + chance.number(below: 200)))
      // A card that is declined at the end stays declined.
      if isLate, chance.happens(perMille: 500) { return }
      try await context.sleep(span)
      try await set(owner.account, canPay: true)
    case 5, 6:
      let product: StoreProductIdentifier = chance.happens(perMille: 500) ? "com.example.plus" : "com.example.basic"
      record("buys \(product) in the App Store")
      _ = try? await appStore.insist {
        try await $0.purchases.purchase(SimulatedPurchaseRequest(owner: owner, product: product))
      }
    default:
      let days = Int64(1 + chance.number(below: 20))
      record("is given \(days) more days of \(line)")
      _ = try? await appStore.insist { try await $0.renewalExtensions.extend(of: line, byDays: days) }
    }
  }

  private func set(_ id: AppleAccountIdentifier, canPay: Bool) async throws {
    context.events.record("App Store", "the card of \(id) is \(canPay ? "good again" : "refused")")
    var account = SimulatedAppleAccount(id: id, environment: .production)
    account.canPay = canPay
    let changed = account
    try await appStore.insist { try await $0.catalog.setAccount(changed) }
  }

  // MARK: refunds

  /// Runs all planned refunds of `LifecyclePlan` and `StoreHabitsPlan` at the same time.
  func refundInStories() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, refund) in plan.refunds.enumerated() {
        group.addTask { try await give(back: refund, "refund \(number)", of: nil) }
      }
      for (number, refund) in context.plan.habits.refunds.enumerated() {
        group.addTask { try await give(back: refund, "refund of a right \(number)", of: .nonConsumable) }
      }
      for (number, refund) in context.plan.habits.refundsInParts.enumerated() {
        group.addTask { try await give(back: refund, "refund in parts \(number)", of: .consumable) }
      }
      try await group.waitForAll()
    }
  }

  private func give(back refund: LifecyclePlan.Refund, _ purpose: String, of type: ProductType?) async throws {
    var chance = SeededChance(seed: context.seed, purpose: purpose)
    try await context.sleep(.seconds(Int64(10 + chance.number(below: 240))))
    guard let id = try await charge(for: refund, of: type, &chance) else { return }
    for percentage in refund.course.steps(&chance) {
      if let percentage {
        context.events.record("App Store", "gives back \(percentage) of 100 000 of \(id)")
        _ = try? await appStore.insist { try await $0.refunds.refund(id, percentage: percentage) }
      } else {
        context.events.record("App Store", "takes back the refund of \(id)")
        _ = try? await appStore.insist { try await $0.refunds.reverse(id) }
      }
      let pause = chance.happens(perMille: 500) ? 2 : 5 + chance.number(below: 90)
      try await context.sleep(.seconds(Int64(pause)))
    }
  }

  /// Waits for a payment at the planned moment of its life cycle; nil if none comes.
  private func charge(
    for refund: LifecyclePlan.Refund, of type: ProductType?, _ chance: inout SeededChance
  ) async throws -> TransactionIdentifier? {
    let beginning = context.world.now
    for _ in 0..<60 {
      let repeated = Set(try await appStore.insist { await $0.transactions() }.compactMap(\.repeats))
      let charges = try await appStore.insist { await $0.charges() }.filter { charge in
        let isPiece = charge.transaction.type == .consumable
        guard charge.refundedPercentage == 0, isPiece || !refund.course.isInParts,
          type == nil || charge.transaction.type == type
        else { return false }
        let booked = backend.book.entries.filter { $0.transaction == charge.transaction.id }
        switch refund.moment {
        case .soon: return charge.transaction.purchaseDate >= beginning
        case .beforeDelivery: return booked.isEmpty
        case .afterDelivery: return !booked.isEmpty
        case .afterRepeat: return repeated.contains(charge.transaction.id)
        case .afterSpending: return booked.contains { backend.till.spent(by: $0.user, of: "coin") > 0 } && isPiece
        }
      }
      if let charge = chance.pick(charges) { return charge.transaction.id }
      try await context.sleep(.seconds(refund.moment == .afterSpending ? 9 : 3))
    }
    return nil
  }
}

extension LifecyclePlan.Course {
  /// Whether an intermediate amount stays with the user: only consumables are refunded in parts.
  fileprivate var isInParts: Bool {
    switch self {
    case .whole, .reversed, .again: false
    case .inParts, .partly, .partAgain: true
    }
  }

  /// The refunded amounts, step by step, of 100 000; nil where a refund is reversed.
  fileprivate func steps(_ chance: inout SeededChance) -> [Int64?] {
    let whole: Int64 = 100_000
    let (first, second) = (Int64(1 + chance.number(below: 50_000)), Int64(1 + chance.number(below: 49_000)))
    return switch self {
    case .whole: [whole]
    case .inParts: [first, second, whole - first - second]
    case .partly: [first, second]
    case .reversed: [whole, nil]
    case .again: [whole, nil, whole]
    case .partAgain: [first, nil, second]
    }
  }
}
