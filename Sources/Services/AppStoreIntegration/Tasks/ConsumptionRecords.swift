import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Collects what our records state about one purchase, for Apple's consumption request.
struct ConsumptionRecords {
  let reader: any DatabaseReader
  let app: AppPolicy

  /// The most postings that are searched for the remaining units of a grant; longer searches belong in another
  /// system.
  private static let entriesMax = 20_000
  private static let page = 500

  /// The facts; nil for an unknown transaction, or one that is already refunded.
  func facts(of key: PaymentKey) throws -> (facts: ConsumptionFacts, user: UserIdentifier?)? {
    guard let payment = try reader.payment(reader.duplicate(key)?.of ?? key), payment.state != .revoked else {
      return nil
    }
    let grant = try reader.grant(payment.key)
    if let grant, !grant.isInForce { return nil }
    let facts = ConsumptionFacts(
      kind: payment.facts.kind, delivery: try delivery(of: payment, grant), use: try use(of: grant),
      token: payment.facts.token)
    return (facts, payment.owner)
  }

  private func delivery(of payment: Payment, _ grant: Grant?) throws -> ConsumptionFacts.Delivery {
    guard grant != nil else { return .notGranted }
    // An imported payment was delivered by the earlier system.
    guard payment.state != .imported else { return .arrived }
    let made = try reader.deliveries(of: payment.key).first { $0.kind == .created }
    if case .acknowledged = made?.state { return .arrived }
    let environment = payment.key.environment
    guard !app.endpoints.contains(where: { $0.environments.contains(environment) }) else { return .notTaken }
    // No endpoint: either a backend pulls deliveries, or the goods are in our own wallet and need no delivery.
    let taken = try reader.deliveries(
      DeliveryQuery(appEnvironment: payment.key.appEnvironment, selection: .acknowledged, limit: 1))
    return taken.isEmpty ? .arrived : .notTaken
  }

  private func use(of grant: Grant?) throws -> ConsumptionFacts.Use {
    switch grant?.content {
    case .units(let unit, let amount):
      guard let grant, try reader.hasBookings(in: grant.payment.appEnvironment), let left = try left(of: grant, unit)
      else {
        return .unknown
      }
      return .units(left: left, of: amount)
    case .entitlement(_, let from, let until?): return .time(from: from, until: until)
    case .entitlement(_, _, nil), nil: return .unknown
    }
  }

  /// How many units of a grant are left if the oldest units are spent first; nil if the search is too long.
  private func left(of grant: Grant, _ unit: UnitName) throws -> Int64? {
    let appEnvironment = grant.payment.appEnvironment
    let inForce = grant.parts - grant.takenBack
    let balance = try reader.balance(of: grant.user, unit: unit, in: appEnvironment)?.amount ?? 0
    var (later, number) = (Int64(0), Int64?.none)
    var takenBack: [PaymentKey: Int64] = [:]
    for _ in 0..<(Self.entriesMax / Self.page) {
      let entries = try reader.entries(of: grant.user, unit: unit, in: appEnvironment, before: number, limit: Self.page)
      for entry in entries {
        guard case .payment(let payment, let cause) = entry.posting.source else { continue }
        let amount = entry.posting.amount
        if payment == grant.payment, cause == "grant" { return min(inForce, max(0, balance - later)) }
        // Units that were taken back from a later purchase no longer count before the units of this one.
        if cause == "grant" { later += amount - (takenBack[payment] ?? 0) }
        if cause.hasPrefix("reversal:") { takenBack[payment, default: 0] += amount }
        if cause.hasPrefix("reinstatement:") { takenBack[payment, default: 0] -= amount }
        if later >= balance { return 0 }
      }
      guard entries.count == Self.page, let last = entries.last else { return nil }
      number = last.number
    }
    return nil
  }
}
