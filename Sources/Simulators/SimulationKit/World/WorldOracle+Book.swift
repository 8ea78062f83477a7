import AppStoreProtocol
import AppStoreSimulator
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import WeChatPaySimulator

// Deliveries to the backend, and the users' balances.

extension WorldOracle {
  /// The backend's bookings, by payment.
  var accounts: [TransactionIdentifier: WorldAccount] {
    Dictionary(grouping: entries, by: \.transaction).mapValues { WorldAccount($0) }
  }

  /// Checks that the backend got each change exactly once, in order, and nothing else.
  func judgeBook() async throws {
    let (payments, grants) = try await database.read { database in
      let payments = try database.payments(after: nil, limit: 10_000).filter { $0.key.environment != .sandbox }
      return (payments, try payments.map { try database.grant($0.key) })
    }
    let accounts = accounts
    for (payment, grant) in zip(payments, grants) {
      let id = payment.key.transaction
      guard let grant else {
        if accounts[id] != nil { events.reportViolation("the backend booked \(id), which nothing was granted for") }
        continue
      }
      guard let account = accounts[id] else {
        events.reportViolation("the backend never booked \(id)")
        continue
      }
      for problem in account.problems { events.reportViolation("the backend's book of \(id): \(problem)") }
      if account.holder != grant.user {
        events.reportViolation(
          "the backend booked \(id) for \(account.holder?.text ?? "no user"), it is \(grant.user)'s")
      }
      if account.left != grant.parts - grant.takenBack {
        events.reportViolation("of \(id) the backend has \(account.left), the server \(grant.parts - grant.takenBack)")
      }
      note(account)
    }
    for id in accounts.keys.sorted() where !payments.contains(where: { $0.key.transaction == id }) {
      events.reportViolation("the backend booked \(id), which the server does not know")
    }
  }

  private func note(_ account: WorldAccount) {
    if account.returns > 0 { events.mark(.refundReversed) }
    if account.returns > 0, account.reversals > 1 { events.mark(.refundedAgain) }
    if account.parts > 1, account.reversals > 1, account.returns == 0 { events.mark(.refundedInParts) }
  }

  // MARK: refunds at the App Store

  /// Whether the server can know the refunds of a charge and their reversals: from notifications, or by asking.
  func canKnowRefunds(of id: TransactionIdentifier) -> Bool {
    context.plan.apple.hasKey || truths[id]?.isNewsUntold != true
  }

  /// The pieces that a partial refund takes back: never more than its share, as a running total.
  static func share(_ part: Int64, of whole: Int64, in pieces: Int64) -> Int64 {
    whole <= 0 ? 0 : pieces * min(max(part, 0), whole) / whole
  }

  /// Checks that the units taken back equal the App Store's refunded total, at the end and after each step. Any
  /// partial refund takes back an entitlement.
  func judgeTakenBack() async throws {
    let accounts = accounts
    for charge in charges {
      let (id, whole) = (charge.transaction.id, Int64(100_000))
      guard let payment = try await known(id), let account = accounts[payment.key.transaction],
        ids(of: charge).contains(payment.key.transaction)
      else { continue }
      let isPieces = charge.transaction.type == .consumable
      let taken = { (part: Int64) in isPieces ? Self.share(part, of: whole, in: account.parts) : part > 0 ? 1 : 0 }
      let stated = Set((truths[id]?.stated ?? []).map(taken)).union([0])
      for total in account.totals where !stated.contains(total) {
        events.reportViolation("of \(id) \(total) of \(account.parts) were taken back, which the store never said")
      }
      guard canKnowRefunds(of: id), account.taken != taken(charge.refundedPercentage),
        try await !isRefundedUnderAnother(charge), !isTiedWithARefund(charge)
      else { continue }
      events.reportViolation(
        "of \(id) the store gave back \(charge.refundedPercentage) of \(whole), and \(account.taken) of "
          + "\(account.parts) were taken back")
    }
  }

  // MARK: balances

  private struct Wallet: Hashable, Comparable {
    let user: UserIdentifier
    let unit: UnitName

    static func < (one: Wallet, other: Wallet) -> Bool {
      one.user == other.user ? one.unit.text < other.unit.text : one.user < other.user
    }
  }

  /// Checks each balance: paid units, less refunds, less debits. The expected amounts come only from the stores, the
  /// phones and the backend, for each user and unit.
  func judgeWallets() async throws {
    var due: [Wallet: Int64] = [:]
    var unsure: Set<UserIdentifier> = []
    let accounts = accounts
    for charge in charges {
      let sold = charge.transaction
      guard let payment = try await known(sold.id), !payment.isInQueue else { continue }
      let account = accounts[payment.key.transaction]
      guard let user = owner(of: charge, payment, account?.holder) else { continue }
      // If several catalogs may apply, take the one that was booked.
      let promised = promises(for: charge).compactMap { units(of: $0, sold.quantity) }
      guard let (unit, pieces) = promised.first(where: { $0.pieces == account?.parts }) ?? promised.first else {
        continue
      }
      due[Wallet(user: user, unit: unit), default: 0] +=
        pieces - Self.share(charge.refundedPercentage, of: 100_000, in: pieces)
      if !canKnowRefunds(of: sold.id) { unsure.insert(user) }
    }
    for order in weChatOrders where order.paidAt != nil {
      let account = order.transactionId.flatMap { accounts[TransactionIdentifier($0)] }
      guard let (tap, product) = tap(atWeChat: order, account) else {
        events.reportViolation("no user had asked for \(order.outTradeNo), which is paid at WeChat Pay")
        continue
      }
      guard let (unit, pieces) = units(of: product, tap.quantity) else { continue }
      due[Wallet(user: tap.user, unit: unit), default: 0] +=
        pieces - Self.share(given(back: order), of: order.total, in: pieces)
    }
    for debit in debits {
      if case .done = debit.outcome { due[Wallet(user: debit.user, unit: debit.unit), default: 0] -= debit.amount }
    }
    let balances = try await database.read { try $0.balances(after: nil, limit: 10_000) }
      .filter { $0.appEnvironment == context.appEnvironment }
    let have = Dictionary(balances.map { (Wallet(user: $0.user, unit: $0.unit), $0.amount) }, uniquingKeysWith: +)
    for wallet in Set(due.keys).union(have.keys).sorted() where !unsure.contains(wallet.user) {
      guard due[wallet, default: 0] != have[wallet, default: 0] else { continue }
      events.reportViolation(
        "\(wallet.user) must have \(due[wallet, default: 0]) of \(wallet.unit) and has \(have[wallet, default: 0])")
    }
    for user in unsure.sorted() { events.record("oracle", "the server cannot know all of \(user)'s refunds") }
  }

  private func units(of product: Product, _ quantity: Int) -> (unit: UnitName, pieces: Int64)? {
    guard case .units(let unit, let perPiece) = product.grant else { return nil }
    return (unit, perPiece * Int64(quantity))
  }

  /// The owner of a charge, from the records of the stores and phones. If several users are possible, the one that the
  /// backend was told of.
  private func owner(of charge: SimulatedCharge, _ payment: Payment, _ holder: UserIdentifier?) -> UserIdentifier? {
    let isNamed = names(charge, payment)
    let users = isNamed ? sheetUsers(truths[charge.transaction.id]?.token) : buyers(of: charge)
    if users.count == 1, isNamed || !isOpenToOthers(charge) { return users.first }
    return holder ?? users.sorted().first
  }

  /// The tap that led to a WeChat Pay order, and its product at that time. Candidates are the earlier taps that fit
  /// its total and the phone that opened WeChat for it. If several fit: the booked one, otherwise the latest.
  private func tap(
    atWeChat order: SimulatedOrder, _ account: WorldAccount?
  ) -> (tap: WorldTap, product: Product)? {
    let handOvers = phones.flatMap(\.handOvers).filter { OrderIdentifier(order.outTradeNo) == $0.order }
    let users = Set(handOvers.flatMap(\.users))
    let fitting = phones.filter(\.plan.isAndroid).flatMap(\.taps).flatMap { tap in
      guard tap.at <= order.createdAt, users.isEmpty || users.contains(tap.user) else { return [(WorldTap, Product)]() }
      return context.catalog.products(tap.product, in: tap.at...order.createdAt)
        .filter { ($0.weChatPrice?.minorUnits ?? 0) * Int64(tap.quantity) == order.total }.map { (tap, $0) }
    }
    // If two catalogs may apply, take the one that was booked.
    let booked = fitting.filter { units(of: $0.1, $0.0.quantity)?.pieces == account?.parts }
    let holders = (booked.isEmpty ? fitting : booked).filter { $0.0.user == account?.holder }
    return holders.last ?? fitting.max { $0.0.at < $1.0.at }
  }

  /// The users who requested the purchase for which a token was made.
  func sheetUsers(_ token: String?) -> Set<UserIdentifier> {
    guard let token else { return [] }
    return Set(phones.flatMap(\.sheets).filter { $0.token.appAccountToken == token }.flatMap(\.users))
  }

  /// Checks that each debit was booked at most once, that no finally rejected debit was booked, and that none exceeded
  /// the balance.
  func judgeDebits() async throws {
    for user in Set(debits.map(\.user)).sorted() {
      let entries = try await database.read {
        try $0.entries(of: user, unit: "coin", in: context.appEnvironment, before: .max, limit: 10_000)
      }
      var (booked, has): ([String: [Int64]], Int64) = ([:], 0)
      for posting in entries.reversed().map(\.posting) {
        has += posting.balanceChanges.reduce(0) { $1.user == user ? $0 + $1.amount : $0 }
        guard case .booking(let key, .debit) = posting.source else { continue }
        booked[key, default: []].append(posting.amount)
        if has < 0 { events.reportViolation("\(key) has left \(user) with \(has)") }
      }
      for debit in debits where debit.user == user {
        let amounts = booked.removeValue(forKey: debit.key) ?? []
        switch debit.outcome {
        case .done:
          if amounts != [debit.amount] {
            events.reportViolation("\(debit.key) of \(debit.amount) was booked as \(amounts)")
          }
        case .refused, .unknown:
          if !amounts.isEmpty { events.reportViolation("\(debit.key) is \(debit.outcome), and was booked: \(amounts)") }
        }
      }
      for key in booked.keys.sorted() {
        events.reportViolation("\(key) was taken from \(user), and no caller asked for it")
      }
    }
    if debits.contains(where: { $0.outcome == .unknown }) { events.reportViolation("a debit was never answered") }
    try await noteSpentRefunds()
  }

  private func noteSpentRefunds() async throws {
    for charge in charges where charge.transaction.type == .consumable {
      guard let payment = try await known(charge.transaction.id) else { continue }
      let (grant, changes, deliveries) = try await database.read { database in
        (
          try database.grant(payment.key), try database.changes(of: payment.key),
          try database.deliveries(of: payment.key)
        )
      }
      guard let grant, let first = changes.first(where: { $0.kind == .reversal })?.at else { continue }
      let spent = debits.contains { debit in
        guard case .done(let moment) = debit.outcome, debit.user == grant.user else { return false }
        return moment < first
      }
      if spent { events.mark(.refundedAfterSpending) }
      if case .acknowledged(let moment) = deliveries.first?.state {
        events.mark(moment > first ? .refundedBeforeDelivery : .refundedAfterDelivery)
      }
    }
  }
}
