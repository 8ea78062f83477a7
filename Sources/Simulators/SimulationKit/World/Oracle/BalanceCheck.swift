import AppStoreSimulator
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import WeChatPaySimulator

/// Checks the balances of all users.
struct BalanceCheck: WorldCheck {
  let records: WorldRecords
  let ownership: ChargeOwnership
  let promises: PromisedProducts

  /// Checks each balance: paid units, less refunds, less debits. The expected amounts come only from the stores, the
  /// phones and the backend, for each user and unit.
  func run() async throws {
    var due: [Wallet: Int64] = [:]
    var unsure: Set<UserIdentifier> = []
    let accounts = records.bookings
    for charge in records.charges {
      let sold = charge.transaction
      guard let payment = try await records.payment(for: sold.id), !payment.isInQueue else { continue }
      let account = accounts[payment.key.transaction]
      guard let user = owner(of: charge, payment, account?.holder) else { continue }
      // If several catalogs may apply, take the one that was booked.
      let promised = promises.products(for: charge).compactMap { units(of: $0, sold.quantity) }
      guard let (unit, pieces) = promised.first(where: { $0.pieces == account?.parts }) ?? promised.first else {
        continue
      }
      due[Wallet(user: user, unit: unit), default: 0] +=
        pieces - RefundedPieces.count(charge.refundedPercentage, of: 100_000, in: pieces)
      if !records.canKnowRefunds(of: sold.id) { unsure.insert(user) }
    }
    for order in records.weChatOrders where order.paidAt != nil {
      let account = order.transactionId.flatMap { accounts[TransactionIdentifier($0)] }
      guard let (tap, product) = tap(atWeChat: order, account) else {
        events.reportViolation("no user had asked for \(order.outTradeNo), which is paid at WeChat Pay")
        continue
      }
      guard let (unit, pieces) = units(of: product, tap.quantity) else { continue }
      // Nothing is granted while it is given back, which an abnormal refund may never end.
      guard try await !waitsForItsRefund(order) else { continue }
      due[Wallet(user: tap.user, unit: unit), default: 0] +=
        pieces - RefundedPieces.count(records.refunded(order), of: order.total, in: pieces)
    }
    for debit in records.debits {
      if case .done = debit.outcome { due[Wallet(user: debit.user, unit: debit.unit), default: 0] -= debit.amount }
    }
    for credit in records.credits {
      if case .done = credit.outcome { due[Wallet(user: credit.user, unit: credit.unit), default: 0] += credit.amount }
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

  /// Whether an order that is being given back waits in the operator's queue.
  private func waitsForItsRefund(_ order: SimulatedOrder) async throws -> Bool {
    guard let id = OrderIdentifier(order.outTradeNo), records.isBeingRefunded(id),
      let transaction = order.transactionId
    else { return false }
    let key = records.weChatPayKey(transaction)
    return try await database.read { try $0.payment(key)?.isInQueue } ?? false
  }

  private struct Wallet: Hashable, Comparable {
    let user: UserIdentifier
    let unit: UnitName

    static func < (one: Wallet, other: Wallet) -> Bool {
      one.user == other.user ? one.unit.text < other.unit.text : one.user < other.user
    }
  }

  private func units(of product: Product, _ quantity: Int) -> (unit: UnitName, pieces: Int64)? {
    guard case .units(let unit, let perPiece) = product.grant else { return nil }
    return (unit, perPiece * Int64(quantity))
  }

  /// The owner of a charge, from the records of the stores and phones. If several users are possible, the one that the
  /// backend was told of.
  private func owner(of charge: SimulatedCharge, _ payment: Payment, _ holder: UserIdentifier?) -> UserIdentifier? {
    let isNamed = ownership.names(charge, payment)
    let users =
      isNamed ? records.sheetUsers(records.truths[charge.transaction.id]?.token) : ownership.buyers(of: charge)
    if users.count == 1, isNamed || !ownership.isOpenToOthers(charge) { return users.first }
    return holder ?? users.sorted().first
  }

  /// The tap that led to a WeChat Pay order, and its product at that time. Candidates are the earlier taps that fit
  /// its total and the phone that opened WeChat for it. If several fit: the booked one, otherwise the latest.
  private func tap(
    atWeChat order: SimulatedOrder, _ account: WorldAccount?
  ) -> (tap: WorldTap, product: Product)? {
    let handOvers = records.phones.flatMap(\.handOvers).filter { OrderIdentifier(order.outTradeNo) == $0.order }
    let users = Set(handOvers.flatMap(\.users))
    let fitting = records.phones.filter(\.plan.isAndroid).flatMap(\.taps).flatMap { tap in
      guard tap.at <= order.createdAt, users.isEmpty || users.contains(tap.user) else { return [(WorldTap, Product)]() }
      return context.catalog.products(tap.product, in: tap.at...order.createdAt)
        .filter { ($0.weChatPrice?.minorUnits ?? 0) * Int64(tap.quantity) == order.total }.map { (tap, $0) }
    }
    // If two catalogs may apply, take the one that was booked.
    let booked = fitting.filter { units(of: $0.1, $0.0.quantity)?.pieces == account?.parts }
    let holders = (booked.isEmpty ? fitting : booked).filter { $0.0.user == account?.holder }
    return holders.last ?? fitting.max { $0.0.at < $1.0.at }
  }
}
