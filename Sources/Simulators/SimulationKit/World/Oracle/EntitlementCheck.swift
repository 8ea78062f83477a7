import AppStoreProtocol
import AppStoreSimulator
import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPaySimulator

/// Checks the users' entitlements.
struct EntitlementCheck: WorldCheck {
  let records: WorldRecords
  let repeats: RepeatPurchases

  /// Checks that every entitlement has the state that the stores report, and that no other user has it.
  func run() async throws {
    var rights: [UserIdentifier: [WorldRight]] = [:]
    var shared: [UserIdentifier: Set<TransactionIdentifier>] = [:]
    for user in Set(records.phones.flatMap(\.users)).sorted() {
      guard let answer = try await self.rights(of: user) else { return }
      rights[user] = answer
      shared[user] = Set(
        try await database.read { try $0.sharedEntitlements(of: user, in: context.appEnvironment) }.map(\.transaction))
    }
    for subscription in records.subscriptions { try await check(subscription, rights, shared: shared) }
    for name in ["premium", "season"] { try await checkBought(name, rights, shared: shared) }
  }

  private func rights(of user: UserIdentifier) async throws -> [WorldRight]? {
    let request = HTTPRequest(
      "GET", WorldShop.serverURL + "/v1/users/\(user)/entitlements",
      fields: ["Authorization": "Bearer \(WorldShop.backendKey)"])
    let answer = try await context.exchange(from: .backend, to: .server).send(request, .seconds(30))
    guard let list = try? JSONReader.read(answer.body)["entitlements"]?.array else {
      events.reportViolation("the server does not say what \(user) has a right to: \(answer.status)")
      return nil
    }
    let rights = list.compactMap { body -> WorldRight? in
      guard let name = body["entitlement"]?.string, let state = body["state"]?.string else { return nil }
      return WorldRight(
        name: WorldCatalog.firstName(of: name), state: state,
        expiresAt: body["expiresAt"]?.string.flatMap { Timestamp(iso8601: $0) })
    }
    // If an entitlement has had two names, the better state comes first.
    return rights.sorted { one, other in
      if one.givesAccess != other.givesAccess { return one.givesAccess }
      return one.expiresAt?.milliseconds ?? .max > other.expiresAt?.milliseconds ?? .max
    }
  }

  // MARK: subscriptions

  private func check(
    _ subscription: AppleSubscription, _ rights: [UserIdentifier: [WorldRight]],
    shared: [UserIdentifier: Set<TransactionIdentifier>]
  ) async throws {
    note(subscription)
    guard context.plan.apple.hasKey || !subscription.isUntold, let latest = subscription.periods.last else {
      return events.record("oracle", "the server cannot know the status of \(subscription.id)")
    }
    // Held and early-revoked payments are checked with their charges.
    guard let holder = try await self.holder(of: latest.id) else { return }
    let right = rights[holder]?.first { $0.name == "plus" }
    if try await hasAnother(holder, subscription) { return try await checkAccess(of: holder, right) }
    let running = self.running(subscription)
    // The App Store's status describes the latest purchase only; an earlier period may still be paid.
    let isLatestOver = subscription.status == .revoked && !running.isEmpty
    let word = isLatestOver ? "active" : Self.word(subscription.status)
    if right?.state != word {
      events.reportViolation(
        "\(subscription.id) is \(word) at the store, and \(holder)'s right is \(right?.state ?? "none")")
    } else if !isLatestOver, subscription.status != .revoked, right?.expiresAt != latest.period?.expiresDate {
      events.reportViolation(
        "\(subscription.id) ends at \(latest.period?.expiresDate.iso8601 ?? "no time"), and \(holder)'s right at "
          + "\(right?.expiresAt?.iso8601 ?? "no time")")
    }
    var entitled: Set<UserIdentifier> = [holder]
    for period in running + upgradedUnheard(subscription) {
      if let user = try await self.holder(of: period.id) { entitled.insert(user) }
    }
    for user in records.users(of: subscription.account).subtracting(entitled).sorted() {
      if try await hasAnother(user, subscription) { continue }
      let its = rights[user]?.first { $0.name == "plus" }
      let isShared = shared[user]?.contains(subscription.id) == true
      guard its?.givesAccess ?? false != (isShared && right?.givesAccess == true) else { continue }
      events.reportViolation(
        "\(subscription.id) is \(holder)'s" + (isShared ? " and shared" : "")
          + ", and \(user)'s right is \(its?.state ?? "none")")
    }
  }

  private func running(_ subscription: AppleSubscription) -> [SimulatedTransaction] {
    let now = context.world.now
    return subscription.periods.filter { period in
      period.revocation == nil && period.upgrade == nil && period.period.map { $0.expiresDate > now } == true
    }
  }

  /// Checks that a user with several subscriptions has access while one of them gives it.
  private func checkAccess(of user: UserIdentifier, _ right: WorldRight?) async throws {
    var access = false
    for subscription in records.subscriptions {
      // The server cannot know the status of one of them.
      guard context.plan.apple.hasKey || !subscription.isUntold, let latest = subscription.periods.last else { return }
      let isCurrent = [.active, .billingGracePeriod].contains(subscription.status)
      if isCurrent, try await holder(of: latest.id) == user { access = true }
      for period in running(subscription) + upgradedUnheard(subscription)
      where try await holder(of: period.id) == user { access = true }
    }
    guard right?.givesAccess ?? false != access else { return }
    events.reportViolation(
      "\(user) has several subscriptions with\(access ? "" : "out") access, and the right is \(right?.state ?? "none")")
  }

  /// Whether a user has another subscription besides: each of two users who were merged may have had one.
  private func hasAnother(_ user: UserIdentifier, _ subscription: AppleSubscription) async throws -> Bool {
    guard !context.merges.isEmpty else { return false }
    for period in records.subscriptions.filter({ $0.id != subscription.id }).flatMap(\.periods) {
      if try await holder(of: period.id) == user { return true }
    }
    return false
  }

  /// Paid periods that were replaced by an upgrade of another user of the account. Apple signs their end only into
  /// those transactions, and no device submits them again. With a key, the server reads it from Apple (decision 112).
  private func upgradedUnheard(_ subscription: AppleSubscription) -> [SimulatedTransaction] {
    let now = context.world.now
    guard !context.plan.apple.hasKey else { return [] }
    return subscription.periods.filter { $0.upgrade != nil && $0.period.map { $0.expiresDate > now } == true }
  }

  private func note(_ subscription: AppleSubscription) {
    switch subscription.status {
    case .billingGracePeriod: events.mark(.gracePeriod)
    case .billingRetry: events.mark(.billingRetry)
    case .expired: events.mark(.subscriptionEnded)
    case .active, .revoked: break
    }
    if subscription.periods.contains(where: { $0.upgrade != nil }) { events.mark(.subscriptionUpgraded) }
  }

  private static func word(_ status: Status) -> String {
    switch status {
    case .active: "active"
    case .expired: "expired"
    case .billingRetry: "billingRetry"
    case .billingGracePeriod: "gracePeriod"
    case .revoked: "revoked"
    }
  }

  /// The beneficiary of a purchase, according to the backend's bookings.
  private func holder(of id: TransactionIdentifier) async throws -> UserIdentifier? {
    guard let payment = try await records.payment(for: id) else { return nil }
    return records.bookings[payment.key.transaction]?.holder
  }

  // MARK: non-consumables and passes

  private func checkBought(
    _ name: String, _ rights: [UserIdentifier: [WorldRight]],
    shared: [UserIdentifier: Set<TransactionIdentifier>]
  ) async throws {
    var (owners, unsure): (Set<UserIdentifier>, Set<UserIdentifier>) = ([], [])
    var originals: Set<TransactionIdentifier> = []
    for charge in records.charges
    where context.catalog.products(for: charge.transaction.product).contains(where: { $0.id.text == name }) {
      guard let payment = try await database.read({ try records.payment(of: charge, $0) }),
        records.ids(of: charge).contains(payment.key.transaction),
        let user = records.bookings[payment.key.transaction]?.holder
      else { continue }
      if charge.refundedPercentage == 0 {
        owners.insert(user)
        originals.insert(charge.transaction.originalId)
      }
      let isUntold = !context.plan.apple.hasKey && records.truths[charge.transaction.id]?.isNewsUntold == true
      let isRefunded = try await repeats.isRefundedUnderAnother(charge)
      if isUntold || isRefunded { unsure.insert(user) }
    }
    for order in records.weChatOrders {
      guard let id = OrderIdentifier(order.outTradeNo), let transaction = order.transactionId,
        let user = records.bookings[TransactionIdentifier(transaction)]?.holder,
        let ours = try await database.read({
          try $0.order(PaymentModel.OrderKey(appEnvironment: context.appEnvironment, id: id))
        }),
        ours.product.id.text == name, records.refunded(order) < order.total
      else { continue }
      owners.insert(user)
    }
    guard unsure.isEmpty else { return }
    for user in rights.keys.sorted() {
      let hasIt = rights[user]?.first { $0.name == name }?.givesAccess ?? false
      let isShared = shared[user]?.isDisjoint(with: originals) == false
      guard hasIt != (owners.contains(user) || isShared) else { continue }
      events.reportViolation("\(user) \(hasIt ? "has" : "has no") right to \(name)")
    }
  }
}

/// An entitlement as the server reports it to the app's backend.
struct WorldRight: Hashable, Sendable {
  let name: String
  let state: String
  let expiresAt: Timestamp?

  var givesAccess: Bool { state == "active" || state == "gracePeriod" }
}
