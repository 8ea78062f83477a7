import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Checks the limits of what users may spend in a month.
struct LimitCheck: WorldCheck {
  let records: WorldRecords

  /// What an order has taken of the user's month ever since it was made, in fen.
  private struct Taken {
    let month: String
    let amount: Int64
  }

  private var limits: [WorldLimits.Limit] { context.limits.all }
  private var merges: WorldMerges { context.merges }

  func run() async throws {
    guard !limits.isEmpty else { return }
    if limits.contains(where: { $0.since == nil }) { events.reportViolation("a limit was never answered") }
    let place = context.appEnvironment
    let orders = try await database.read { try $0.orders(after: nil, limit: 10_000) }
      .filter { $0.key.appEnvironment == place }
    let journal = try await database.read { try $0.wholeJournal(of: place) }
    let taken = try await takings(of: orders, journal)
    try await checkStanding(orders, taken)
    // Over several nodes, an order may get its number before the answer about a limit, and be seen after it.
    if context.plan.nodes == nil { checkOrders(orders, by: journal, taken: taken) }
  }

  // MARK: what is left at the end

  /// Checks that each limit stands with whoever has the user's account now, and that nothing spent was lost by a merge.
  private func checkStanding(_ orders: [Order], _ taken: [OrderIdentifier: Taken]) async throws {
    for user in Set(limits.filter { $0.since != nil }.map(\.user)).sorted() where !merges.isErased(user) {
      let present = merges.present(user)
      let group = limits.filter { merges.present($0.user) == present }
      let request = HTTPRequest(
        "GET", WorldShop.serverURL + "/v1/users/\(user)/spending-limits",
        fields: ["Authorization": "Bearer \(WorldShop.backendKey)"])
      let answer = try await context.exchange(from: .backend, to: .server).send(request, .seconds(30))
      let standing = (try? JSONReader.read(answer.body))?["limits"]?.array?.first { $0["currency"]?.string == "CNY" }
      guard let limit = standing?["limit"]?.integer, let spent = standing?["spent"]?.integer else {
        events.reportViolation("\(user) was limited, and the server answers \(answer.status) without a limit")
        continue
      }
      let amounts = Set(group.map(\.amount))
      // Of two users with a limit the stricter one stays, unless one was set again after their merge.
      let isKnown =
        context.plan.nodes == nil && group.allSatisfy(\.isAlone) && Set(group.map(\.user)).count == group.count
      if isKnown ? limit != amounts.min() : !amounts.contains(limit) {
        events.reportViolation("\(user) may spend \(limit), and was limited to \(amounts.sorted())")
      }
      let month = Self.month(context.world.now)
      let least = orders.filter { $0.user == present }.compactMap { taken[$0.key.id] }
        .reduce(Int64(0)) { $0 + ($1.month == month ? $1.amount : 0) }
      if spent < least { events.reportViolation("\(user) spent at least \(least), and the server counts \(spent)") }
    }
  }

  // MARK: each order when it was made

  /// Goes through the journal, and checks at each order that it fitted into what was left of the user's month. Only
  /// orders count that took their part from the beginning, whatever was done with others.
  private func checkOrders(
    _ orders: [Order], by journal: [NumberedJournalEntry], taken: [OrderIdentifier: Taken]
  ) {
    let byId = Dictionary(orders.map { ($0.key.id, $0) }) { first, _ in first }
    let aliases = Set(merges.all.filter(\.isErasure).map(\.into))
    let moves = journal.filter { $0.entry.what == JournalEvent.userMerged.name }.compactMap { Move($0) }
    let firstOwners = Dictionary(moves.compactMap { move in move.order.map { ($0, move.from) } }) { first, _ in first }
    var owners: [OrderIdentifier: UserIdentifier] = [:]
    var joined: [UserIdentifier: Set<UserIdentifier>] = [:]
    for numbered in journal {
      if numbered.entry.what == JournalEvent.userMerged.name, let move = Move(numbered) {
        joined[move.to, default: [move.to]].formUnion(joined[move.from] ?? [move.from])
        if let order = move.order { owners[order] = move.to }
      }
      guard numbered.entry.what == JournalEvent.orderCreated.name, let id = numbered.entry.order, let order = byId[id],
        // The journal names nobody who was erased.
        !aliases.contains(order.user)
      else { continue }
      let user = firstOwners[id] ?? order.user
      let month = Self.month(order.createdAt)
      let before = owners.filter { $0.value == user }.compactMap { taken[$0.key] }
        .reduce(Int64(0)) { $0 + ($1.month == month ? $1.amount : 0) }
      owners[id] = user
      let total = before + max(1, Self.asked(order))
      if let most = most(of: joined[user] ?? [user], at: numbered.number), total > most {
        events.reportViolation("\(user) could spend \(most) at most, and an order brought it to \(total): \(id)")
      }
    }
  }

  /// The most that a user could spend for certain at a place in the journal; nil if there may have been no limit.
  ///
  /// - Parameter users: the user, and whoever was merged into them by then.
  private func most(of users: Set<UserIdentifier>, at number: Int64) -> Int64? {
    let isLimited = limits.contains { limit in
      users.contains(limit.user) && limit.since.map { $0 < number } == true
    }
    guard isLimited else { return nil }
    let present = Set(users.map { merges.present($0) })
    return limits.filter { present.contains(merges.present($0.user)) }.map(\.amount).max()
  }

  private struct Move {
    let order: OrderIdentifier?
    let from: UserIdentifier
    let to: UserIdentifier

    init?(_ numbered: NumberedJournalEntry) {
      let details = try? JSONReader.read(numbered.entry.details.utf8)
      guard let from = details?["from"]?.string, let to = details?["to"]?.string else { return nil }
      order = numbered.entry.order
      self.from = UserIdentifier(from)
      self.to = UserIdentifier(to)
    }
  }

  // MARK: what orders take

  /// What certainly counted from each order's making to the end of the world: it was never closed, and its payment was
  /// granted at once, never taken back, and stated its price.
  private func takings(
    of orders: [Order], _ journal: [NumberedJournalEntry]
  ) async throws -> [OrderIdentifier: Taken] {
    let closed = Set(
      journal.filter { $0.entry.what.hasPrefix("order.closed") || $0.entry.what == JournalEvent.orderPaidLate.name }
        .compactMap(\.entry.order))
    let waited = Set(journal.filter { Self.unsteady.contains($0.entry.what) }.compactMap(\.entry.payment))
    // A receipt states no price.
    let readsReceipts = context.plan.phones.contains(where: \.sendsReceipts)
    var takings: [OrderIdentifier: Taken] = [:]
    for order in orders where order.derivation == nil && !order.product.grant.isRight {
      let (id, asked) = (order.key.id, Self.asked(order))
      guard !closed.contains(id) else { continue }
      switch order.state {
      case .awaitingPayment: takings[id] = Taken(month: Self.month(order.createdAt), amount: asked)
      case .paid(let key, _):
        guard !waited.contains(key), key.store == .weChatPay || !readsReceipts,
          let payment = try await database.read({ try $0.payment(key) }), payment.state == .fulfilled,
          payment.facts.ownership == .purchased, let price = payment.facts.price, price.currency == "CNY"
        else { continue }
        // The App Store states the price of one piece, WeChat Pay the whole.
        let paid = price.milliunits / 10 * (key.store == .appStore ? Int64(payment.facts.quantity) : 1)
        takings[id] = Taken(month: Self.month(payment.facts.purchaseDate), amount: min(asked, paid))
      case .closed: break
      }
    }
    return takings
  }

  /// Entries of payments that did not count all the time.
  private static let unsteady = Set(
    ["held", "unclaimed", "setAside", "revoked", "imported", "reversed", "reinstated"].map { "payment." + $0 })

  private static func asked(_ order: Order) -> Int64 {
    (order.product.weChatPrice?.minorUnits ?? 0) * Int64(order.quantity)
  }

  private static func month(_ moment: Timestamp) -> String { String(moment.iso8601.prefix(7)) }
}
