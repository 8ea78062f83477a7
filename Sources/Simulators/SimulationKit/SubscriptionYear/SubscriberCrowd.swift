import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SimulatorCore

/// The subscribers of a year, each with an Apple account. A fourth of the accounts have two users of the app. Each
/// starts within the first weeks, and performs an action every few weeks.
struct SubscriberCrowd: Sendable {
  private let shop: SubscriptionYearShop
  private let process: SimulatedProcess
  private let seed: UInt64
  private let subscribers: Int
  private let end: Timestamp

  init(
    _ shop: SubscriptionYearShop, _ process: SimulatedProcess, seed: UInt64, subscribers: Int, until end: Timestamp
  ) {
    self.end = end
    self.shop = shop
    self.process = process
    self.seed = seed
    self.subscribers = subscribers
  }

  func live() async {
    for number in 0..<subscribers { process.spawn { await subscriber(number) } }
  }

  private func subscriber(_ number: Int) async {
    var chance = SeededChance(seed: seed, purpose: "subscriber \(number)")
    let users = SubscriptionYearShop.users(number)
    guard await pause(&chance, upTo: users.count > 1 ? 5 : 45),
      let subscription = await subscribe(number, SubscriptionYearShop.monthly, as: users[0])
    else {
      return
    }
    if users.count > 1 { await takeOver(number, subscription, by: users[1], chance: &chance) }
    while await pause(&chance, upTo: 45), shop.dependencies.now() < end {
      let user = users.count > 1 ? chance.pick(users) ?? users[0] : users[0]
      await act(number, subscription, as: user, chance: &chance)
    }
  }

  /// Another user of the app signs in on the same Apple account. The membership stays the first user's, whoever
  /// presents it. Then the other user buys the larger plan, which is theirs from then on.
  private func takeOver(
    _ number: Int, _ subscription: TransactionIdentifier, by user: UserIdentifier, chance: inout SeededChance
  ) async {
    guard await pause(&chance, upTo: 10), let paid = await newest(of: subscription) else { return }
    let verdict = await handIn(paid.id, as: user)?.first?.verdict
    if verdict != .fulfilledForAnother {
      shop.buyers.note(problem: "\(user) is answered \(verdict?.rawValue ?? "nothing") about another user's period")
    }
    guard await pause(&chance, upTo: 10) else { return }
    _ = await subscribe(number, SubscriptionYearShop.larger, as: user)
  }

  private func newest(of subscription: TransactionIdentifier) async -> SimulatedTransaction? {
    await shop.apple.transactions().last { $0.originalId == subscription }
  }

  private func pause(_ chance: inout SeededChance, upTo days: Int) async -> Bool {
    let span = TimeSpan.milliseconds(Int64(3_600_000 + chance.number(below: days * 86_400) * 1000))
    return (try? await shop.dependencies.sleep(span)) != nil
  }

  /// Orders and buys. Two thirds of the phones submit the purchase; the others are lost before they can.
  private func subscribe(
    _ number: Int, _ product: StoreProductIdentifier, as user: UserIdentifier
  ) async -> TransactionIdentifier? {
    let id: ProductIdentifier = product == SubscriptionYearShop.larger ? "club.larger" : "club"
    let request = OrderRequest(user: user, product: id, quantity: 1, store: .appStore)
    guard let order = try? await shop.engine.createOrder(request, for: shop.app, by: .user(user)).order.order else {
      return nil
    }
    let token = AppStoreUUID(order.key.id)
    shop.buyers.note(user, ordered: token)
    var purchase = SimulatedPurchaseRequest(owner: SubscriptionYearShop.owner(number), product: product)
    purchase.appAccountToken = token
    guard let bought = try? await shop.apple.purchases.purchase(purchase).transaction else { return nil }
    if number % 3 != 0 { await handIn(bought.id, as: user) }
    return bought.originalId
  }

  /// - Returns: the server's answer; nil if there was none.
  @discardableResult
  private func handIn(_ id: TransactionIdentifier, as user: UserIdentifier) async -> [PaymentAnswer]? {
    guard let signed = try? await shop.apple.signedTransaction(id).signedTransaction else { return nil }
    let request = SubmitAppStorePayment.Request(evidence: signed)
    return try? await shop.engine.submitAppStorePayment(request, from: user, for: shop.app).payments
  }

  /// One random action; if the App Store rejects it, the error is ignored, because a user could not do it either.
  private func act(
    _ number: Int, _ subscription: TransactionIdentifier, as user: UserIdentifier, chance: inout SeededChance
  ) async {
    let latest = await newest(of: subscription)
    switch chance.number(below: 12) {
    case 0, 1: try? await shop.apple.subscriptions.setAutoRenew(subscription, to: false)
    case 2: try? await shop.apple.subscriptions.setAutoRenew(subscription, to: true)
    case 3, 4: _ = await subscribe(number, SubscriptionYearShop.monthly, as: user)
    case 5: _ = await subscribe(number, SubscriptionYearShop.larger, as: user)
    case 6, 7:
      try? await shop.apple.catalog.setAccount(SubscriptionYearShop.account(number, canPay: false))
      _ = await pause(&chance, upTo: 50)
      try? await shop.apple.catalog.setAccount(SubscriptionYearShop.account(number))
    case 8:
      guard let latest else { return }
      _ = try? await shop.apple.refunds.refund(latest.id)
    case 9:
      guard let latest else { return }
      try? await shop.apple.refunds.reverse(latest.id)
    case 10:
      _ = try? await shop.apple.renewalExtensions.extend(of: subscription, byDays: 1 + Int64(chance.number(below: 30)))
    default:
      guard let latest else { return }
      await handIn(latest.id, as: user)
    }
  }
}

/// The notification faults of a year: each day some are lost, some doubled, and all of them late for a while.
struct NotificationWeather: Sendable {
  private let shop: SubscriptionYearShop
  private let seed: UInt64

  init(_ shop: SubscriptionYearShop, seed: UInt64) {
    self.shop = shop
    self.seed = seed
  }

  func change(until end: Timestamp) async {
    var chance = SeededChance(seed: seed, purpose: "weather")
    while shop.dependencies.now() < end - .hours(1) {
      let delay: Int64
      switch chance.number(below: 4) {
      case 0: delay = 157 * 3_600_000
      case 1: delay = Int64(chance.number(below: 86_400_000))
      default: delay = 0
      }
      try? await shop.apple.setBehaviour(.loseNotifications, to: Int64(chance.number(below: 8)))
      try? await shop.apple.setBehaviour(.notificationDelayMilliseconds, to: delay)
      try? await shop.apple.setBehaviour(.duplicateNotifications, to: Int64(chance.number(below: 3)))
      guard (try? await shop.dependencies.sleep(.days(1))) != nil else { return }
    }
  }

  static func clear(_ shop: SubscriptionYearShop) async throws {
    for behaviour in [SimulatorBehaviour.loseNotifications, .notificationDelayMilliseconds, .duplicateNotifications] {
      try await shop.apple.setBehaviour(behaviour, to: 0)
    }
  }
}
