import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore

/// Refunds by the App Store, and reversals of refunds.
struct AppStoreRefunds: Sendable {
  let context: SimulationContext
  let appStore: WorldAppStore
  let backend: WorldBackend

  private var plan: LifecyclePlan { context.plan.aftermath }

  /// Refunds random charges.
  func refundCharges() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "refunds")
    for _ in 0..<context.plan.refunds {
      try await context.sleep(.seconds(Int64(40 + chance.number(below: 400))))
      let charges = try await appStore.insist { await $0.charges() }.filter { $0.refundedPercentage < 100_000 }
      guard let charge = chance.pick(charges) else { continue }
      let isPart = chance.happens(perMille: 300) && charge.transaction.period == nil
      context.events.record("App Store", "refunds \(isPart ? "a part" : "all") of \(charge.transaction.id)")
      _ = try? await appStore.insist { store in
        try await store.refunds.refund(charge.transaction.id, percentage: isPart ? 40_000 : nil)
      }
    }
  }

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
