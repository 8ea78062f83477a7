import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore

/// Actions of subscribers in the App Store and on their cards.
struct SubscriberActs: Sendable {
  let context: SimulationContext
  let appStore: WorldAppStore

  private var plan: LifecyclePlan { context.plan.aftermath }

  /// Switches the App Store between months that last minutes and real months.
  func shortenMonths(_ on: Bool) async throws {
    guard plan.sellsSubscriptions else { return }
    try await appStore.insist { try await $0.setBehaviour(.minutePeriodsInProduction, to: on ? 1 : 0) }
  }

  /// The actions while faults are active.
  func run() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "subscribers")
    for _ in 0..<plan.acts {
      try await context.sleep(.seconds(Int64(20 + chance.number(below: 100))))
      try await act(isLate: false, &chance)
    }
  }

  /// The same actions after all faults have ended; then months have their real length again. A subscription that is
  /// active at that moment still exists when the world ends.
  func runLate() async throws {
    guard plan.sellsSubscriptions else { return }
    var chance = SeededChance(seed: context.seed, purpose: "subscribers later")
    for _ in 0..<plan.lateActs {
      try await context.sleep(.seconds(Int64(60 + chance.number(below: 240))))
      try await act(isLate: true, &chance)
    }
    try await shortenMonths(false)
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
}
