import AppStoreProtocol
import AppStoreSimulator
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPaySimulator

/// A subscription as the App Store sees it.
struct AppleSubscription: Sendable {
  let id: TransactionIdentifier
  let account: String
  let status: Status
  let periods: [SimulatedTransaction]
  /// Whether a notification about it never left the App Store.
  let isUntold: Bool

  static func all(of database: SimulatedAppStore) async throws -> [AppleSubscription] {
    let all = await database.transactions().filter { $0.period != nil && !$0.isFamilyShared && $0.repeats == nil }
    let originals = Dictionary(all.map { ($0.id, $0.originalId) }) { first, _ in first }
    let untold = Set(
      await database.notifications().filter { $0.isLost || $0.state == .neverSent }
        .compactMap { $0.facts.transaction.flatMap { originals[$0] } })
    var lines: [AppleSubscription] = []
    for (id, periods) in Dictionary(grouping: all, by: \.originalId).sorted(by: { $0.key < $1.key }) {
      guard let account = periods.first?.owner.account.text else { continue }
      lines.append(
        AppleSubscription(
          id: id, account: account, status: try await database.signedRenewalInfo(id).status, periods: periods,
          isUntold: untold.contains(id)))
    }
    return lines
  }
}

/// An entitlement as the server reports it to the app's backend.
struct WorldRight: Hashable, Sendable {
  let name: String
  let state: String
  let expiresAt: Timestamp?

  var givesAccess: Bool { state == "active" || state == "gracePeriod" }
}

// Checks of the users' entitlements.

extension WorldOracle {
  /// Checks that every entitlement has the state that the stores report, and that no other user has it.
  func judgeRights() async throws {
    var rights: [UserIdentifier: [WorldRight]] = [:]
    var shared: [UserIdentifier: Set<TransactionIdentifier>] = [:]
    for user in Set(phones.flatMap(\.plan.users)).sorted() {
      guard let answer = try await self.rights(of: user) else { return }
      rights[user] = answer
      shared[user] = Set(
        try await database.read { try $0.sharedRights(of: user, in: context.appEnvironment) }.map(\.transaction))
    }
    for line in lines { try await judge(line, rights, shared: shared) }
    for name in ["premium", "season"] { try await judgeBought(name, rights, shared: shared) }
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

  /// The users of the phones that are signed in to an Apple account.
  func users(of account: String) -> Set<UserIdentifier> {
    Set(phones.filter { $0.plan.account == account }.flatMap(\.plan.users))
  }

  // MARK: subscriptions

  private func judge(
    _ line: AppleSubscription, _ rights: [UserIdentifier: [WorldRight]],
    shared: [UserIdentifier: Set<TransactionIdentifier>]
  ) async throws {
    note(line)
    guard context.plan.apple.hasKey || !line.isUntold, let latest = line.periods.last else {
      return events.record("oracle", "the server cannot know the status of \(line.id)")
    }
    // Held and early-revoked payments are checked with their charges.
    guard let holder = try await self.holder(of: latest.id) else { return }
    let right = rights[holder]?.first { $0.name == "plus" }
    let now = context.world.now
    let running = line.periods.filter { period in
      period.revocation == nil && period.upgrade == nil && period.period.map { $0.expiresDate > now } == true
    }
    // The App Store's status describes the latest purchase only; an earlier period may still be paid.
    let isLatestOver = line.status == .revoked && !running.isEmpty
    let word = isLatestOver ? "active" : Self.word(line.status)
    if right?.state != word {
      events.reportViolation("\(line.id) is \(word) at the store, and \(holder)'s right is \(right?.state ?? "none")")
    } else if !isLatestOver, line.status != .revoked, right?.expiresAt != latest.period?.expiresDate {
      events.reportViolation(
        "\(line.id) ends at \(latest.period?.expiresDate.iso8601 ?? "no time"), and \(holder)'s right at "
          + "\(right?.expiresAt?.iso8601 ?? "no time")")
    }
    var entitled: Set<UserIdentifier> = [holder]
    for period in running + upgradedUnheard(line) {
      if let user = try await self.holder(of: period.id) { entitled.insert(user) }
    }
    for user in users(of: line.account).subtracting(entitled).sorted() {
      let its = rights[user]?.first { $0.name == "plus" }
      let isShared = shared[user]?.contains(line.id) == true
      guard its?.givesAccess ?? false != (isShared && right?.givesAccess == true) else { continue }
      events.reportViolation(
        "\(line.id) is \(holder)'s" + (isShared ? " and shared" : "")
          + ", and \(user)'s right is \(its?.state ?? "none")")
    }
  }

  /// Paid periods that were replaced by an upgrade of another user of the account. Apple signs their end only into
  /// those transactions, and no device submits them again. With a key, the server reads it from Apple (decision 112).
  private func upgradedUnheard(_ line: AppleSubscription) -> [SimulatedTransaction] {
    let now = context.world.now
    guard !context.plan.apple.hasKey else { return [] }
    return line.periods.filter { $0.upgrade != nil && $0.period.map { $0.expiresDate > now } == true }
  }

  private func note(_ line: AppleSubscription) {
    switch line.status {
    case .billingGracePeriod: events.mark(.gracePeriod)
    case .billingRetry: events.mark(.billingRetry)
    case .expired: events.mark(.subscriptionEnded)
    case .active, .revoked: break
    }
    if line.periods.contains(where: { $0.upgrade != nil }) { events.mark(.subscriptionUpgraded) }
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
    guard let payment = try await known(id) else { return nil }
    return accounts[payment.key.transaction]?.holder
  }

  // MARK: non-consumables and passes

  private func judgeBought(
    _ name: String, _ rights: [UserIdentifier: [WorldRight]],
    shared: [UserIdentifier: Set<TransactionIdentifier>]
  ) async throws {
    var (owners, unsure): (Set<UserIdentifier>, Set<UserIdentifier>) = ([], [])
    var originals: Set<TransactionIdentifier> = []
    for charge in charges
    where context.catalog.products(for: charge.transaction.product).contains(where: { $0.id.text == name }) {
      guard let payment = try await known(charge.transaction.id), ids(of: charge).contains(payment.key.transaction),
        let user = accounts[payment.key.transaction]?.holder
      else { continue }
      if charge.refundedPercentage == 0 {
        owners.insert(user)
        originals.insert(charge.transaction.originalId)
      }
      let isUntold = !context.plan.apple.hasKey && truths[charge.transaction.id]?.isNewsUntold == true
      let isRefunded = try await isRefundedUnderAnother(charge)
      if isUntold || isRefunded { unsure.insert(user) }
    }
    for order in weChatOrders {
      guard let id = OrderIdentifier(order.outTradeNo), let transaction = order.transactionId,
        let user = accounts[TransactionIdentifier(transaction)]?.holder,
        let ours = try await database.read({
          try $0.order(PaymentModel.OrderKey(appEnvironment: context.appEnvironment, id: id))
        }),
        ours.product.id.text == name, given(back: order) < order.total
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

  // MARK: restores

  /// Checks the moves by restores. The app's policy must allow each move, between users of the same Apple account, and
  /// at most once a day. Units never move.
  func judgeRestores() async throws {
    let policy = context.plan.aftermath.restore
    let rows = try await database.read { database in
      try database.payments(after: nil, limit: 10_000).compactMap { payment -> (Payment, Grant, [GrantChange])? in
        guard payment.key.appEnvironment == context.appEnvironment, let grant = try database.grant(payment.key) else {
          return nil
        }
        return (payment, grant, try database.changes(of: payment.key).filter { $0.kind == .transfer })
      }
    }
    let owners = Dictionary(transactions.map { ($0.originalId, $0.owner.account.text) }) { first, _ in first }
    var moments: [TransactionIdentifier: Set<Timestamp>] = [:]
    for (payment, grant, moves) in rows {
      let (id, original) = (payment.key.transaction, payment.facts.originalTransaction)
      if accounts[id]?.moves != moves.count {
        events.reportViolation(
          "\(id) has moved \(moves.count) times, and the backend was told of \(accounts[id]?.moves ?? 0)")
      }
      guard !moves.isEmpty else { continue }
      moments[payment.facts.kind == .autoRenewable ? original : id, default: []].formUnion(moves.map(\.at))
      if case .units = grant.content { events.reportViolation("the units of \(id) have moved") }
      if policy != .transfer { events.reportViolation("\(id) has moved, and the policy is \(policy.rawValue)") }
      let mayHave = owners[original].map { users(of: $0) } ?? []
      if !mayHave.contains(grant.user) {
        events.reportViolation("\(id) has moved to \(grant.user), who is on no phone of it")
      }
      let asked = phones.flatMap(\.restores).filter { $0.account == owners[original] }
      for moment in moves.map(\.at) where !asked.contains(where: { $0.from <= moment }) {
        events.reportViolation("\(id) has moved, and no user had asked to restore it")
      }
      if !asked.contains(where: { $0.user == grant.user }) {
        events.reportViolation("\(id) has moved to \(grant.user), who never asked to restore it")
      }
      events.mark(.restoreTransferred)
    }
    for (id, moments) in moments.sorted(by: { $0.key < $1.key }) {
      for (one, next) in zip(moments.sorted(), moments.sorted().dropFirst()) where next - one < .days(1) {
        events.reportViolation("\(id) has moved twice within a day")
      }
    }
    try await judgeShares(owners)
    if policy == .keepOwner { noteKept(rows.map { ($0.1, owners[$0.0.facts.originalTransaction]) }) }
  }

  private func judgeShares(_ accounts: [TransactionIdentifier: String]) async throws {
    for user in Set(phones.flatMap(\.plan.users)).sorted() {
      for right in try await database.read({ try $0.sharedRights(of: user, in: context.appEnvironment) }) {
        events.mark(.restoreShared)
        if context.plan.aftermath.restore != .share {
          events.reportViolation("\(right.transaction) is shared against the policy")
        }
        let hasAsked = phones.flatMap(\.restores).contains {
          $0.user == user && $0.account == accounts[right.transaction]
        }
        if !hasAsked {
          events.reportViolation("\(right.transaction) is shared with \(user), who never asked to restore it")
        }
      }
    }
  }

  /// Records restores of another user's purchase that did not change the owner.
  private func noteKept(_ rights: [(Grant, String?)]) {
    for restore in phones.flatMap(\.restores) where restore.isDone {
      let isAnothers = rights.contains { grant, account in
        guard case .entitlement = grant.content, grant.isInForce else { return false }
        return account == restore.account && grant.user != restore.user && grant.grantedAt < restore.from
      }
      if isAnothers { events.mark(.restoreKeptOwner) }
    }
  }
}
