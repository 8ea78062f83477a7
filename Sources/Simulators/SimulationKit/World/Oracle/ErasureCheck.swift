import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Checks the erasures of users: no row names them any more.
struct ErasureCheck: WorldCheck {
  let records: WorldRecords

  func run() async throws {
    let merges = context.merges
    for erasure in merges.all where erasure.isErasure {
      // Those who were merged into the user were the same person.
      for user in merges.all.map(\.user) where merges.present(user) == erasure.into {
        try await check(user, as: erasure.into)
      }
    }
  }

  private func check(_ user: UserIdentifier, as alias: UserIdentifier) async throws {
    let place = context.appEnvironment
    let left = try await database.read { database -> [String] in
      var left = try NamingTable.allCases.filter { table in
        let found = try database.rows(
          naming: user, writtenAs: "\"\(user)\"", in: table, of: place, after: 0, count: .max / 2)
        return !found.payments.isEmpty || !found.entries.isEmpty
      }.map { "\($0)" }
      if try database.users(after: nil, in: place, limit: 1000).contains(user) { left.append("orders or balances") }
      if try database.merge(of: user, in: place) != nil { left.append("a merge") }
      if try database.erasure(of: user, in: place) != nil { left.append("an erasure under way") }
      if try database.erasure(as: alias, of: place.app)?.doneAt == nil { left.append("no record") }
      return left
    }
    if !left.isEmpty { events.reportViolation("\(user) was erased, and is in \(left.joined(separator: ", "))") }
  }
}
