import PaymentModel
import PaymentDatabase
import PaymentPrimitives

/// Gathers what our records say of one purchase, for Apple's question how far it is used.
struct ConsumptionRecords {
  let store: any DatabaseReader
  let app: AppSettings

  /// Postings that are looked through for how much of a grant is left: more are some other system's work.
  private static let entriesMax = 20_000
  private static let page = 500

  /// Nil where there is nothing to say: an unknown transaction, or one whose money is back already.
  func facts(of key: PaymentKey) throws -> (facts: ConsumptionFacts, user: UserIdentifier?)? {
    guard let payment = try store.payment(store.echo(key)?.of ?? key), payment.state != .revoked else { return nil }
    let grant = try store.grant(payment.key)
    if let grant, !grant.isInForce { return nil }
    let facts = ConsumptionFacts(
      kind: payment.facts.kind, delivery: try delivery(of: payment, grant), use: try use(of: grant),
      token: payment.facts.token)
    return (facts, payment.owner)
  }

  private func delivery(of payment: Payment, _ grant: Grant?) throws -> ConsumptionFacts.Delivery {
    guard grant != nil else { return .notGranted }
    // What the earlier system delivered, it delivered.
    guard payment.state != .imported else { return .arrived }
    let made = try store.deliveries(of: payment.key).first { $0.kind == .created }
    if case .acknowledged = made?.state { return .arrived }
    let environment = payment.key.environment
    guard !app.endpoints.contains(where: { $0.environments.contains(environment) }) else { return .notTaken }
    // No endpoint: either somebody pulls, or the goods are in our own wallet and nobody has to be told.
    let taken = try store.deliveries(DeliveryQuery(realm: payment.key.realm, selection: .acknowledged, limit: 1))
    return taken.isEmpty ? .arrived : .notTaken
  }

  private func use(of grant: Grant?) throws -> ConsumptionFacts.Use {
    switch grant?.content {
    case .units(let unit, let amount):
      guard let grant, try store.hasBookings(in: grant.payment.realm), let left = try left(of: grant, unit) else {
        return .unknown
      }
      return .units(left: left, of: amount)
    case .entitlement(_, let from, let until?): return .time(from: from, until: until)
    case .entitlement(_, _, nil), nil: return .unknown
    }
  }

  /// How many of a grant's units are still there, if what came first is spent first; nil where the way back is too
  /// long.
  private func left(of grant: Grant, _ unit: UnitName) throws -> Int64? {
    let realm = grant.payment.realm
    let inForce = grant.parts - grant.takenBack
    let balance = try store.balance(of: grant.user, unit: unit, in: realm)?.amount ?? 0
    var (later, number) = (Int64(0), Int64?.none)
    var takenBack: [PaymentKey: Int64] = [:]
    for _ in 0..<(Self.entriesMax / Self.page) {
      let entries = try store.entries(of: grant.user, unit: unit, in: realm, before: number, limit: Self.page)
      for entry in entries {
        guard case .payment(let payment, let cause) = entry.posting.source else { continue }
        let amount = entry.posting.amount
        if payment == grant.payment, cause == "grant" { return min(inForce, max(0, balance - later)) }
        // What was taken back of a later purchase is no longer among the units that stand before this one's.
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
