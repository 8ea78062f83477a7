import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Checks the merges of users.
struct MergeCheck: WorldCheck {
  let records: WorldRecords

  /// Checks that each merge was answered, that nothing is left with who was merged, and that each was told once.
  func run() async throws {
    for merge in context.merges.all where !merge.isErasure {
      guard merge.isDone == true else {
        if merge.isDone == nil { events.reportViolation("the merge of \(merge.user) was never answered") }
        continue
      }
      let place = context.appEnvironment
      // Whoever was erased later takes the record along.
      let present = context.merges.present(merge.user)
      let isErased = context.merges.all.contains { $0.isErasure && $0.into == present }
      let left = try await database.read { database -> [String] in
        var query = OrderQuery(appEnvironment: place, limit: 1)
        query.user = merge.user
        var left: [String] = []
        if !isErased, try database.merge(of: merge.user, in: place)?.into != merge.into { left.append("no record") }
        if try !database.orders(query).isEmpty { left.append("an order") }
        if try !database.payments(grantedTo: merge.user, in: place, limit: 1).isEmpty { left.append("a grant") }
        if try database.payments(after: nil, limit: 10_000).contains(where: {
          $0.key.appEnvironment == place && $0.owner == merge.user && $0.state.wasGranted
        }) {
          left.append("a payment")
        }
        if try !database.promotionalEntitlements(of: merge.user, in: place, limit: 1).isEmpty {
          left.append("a promotional entitlement")
        }
        if try database.balances(of: merge.user, in: place).contains(where: { $0.amount != 0 }) {
          left.append("a balance")
        }
        return left
      }
      if !left.isEmpty {
        events.reportViolation("\(merge.user) was merged, and has \(left.joined(separator: ", "))")
      }
    }
    try await checkNumbers()
  }

  /// Checks that of the orders to which the app gave one number, one has it for each user, whatever was merged.
  private func checkNumbers() async throws {
    let (merges, place) = (context.merges, context.appEnvironment)
    for (number, drafts) in Dictionary(grouping: merges.drafts, by: \.number).sorted(by: { $0.key < $1.key }) {
      let byUser = Dictionary(grouping: drafts) { merges.present($0.user) }
      for (user, own) in byUser.sorted(by: { $0.key < $1.key }) where !merges.isErased(user) {
        let orders = try await database.read { reader in
          try own.compactMap { try reader.order(OrderKey(appEnvironment: place, id: $0.order)) }
        }
        let named = orders.count { $0.reference?.text == number }
        if orders.count != own.count || orders.contains(where: { $0.user != user }) || named != 1 {
          events.reportViolation("\(named) of \(own.count) orders of \(user) have the number \(number)")
        }
      }
    }
  }
}
