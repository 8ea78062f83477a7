import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Checks the erasures of users: no row names them any more.
struct ErasureCheck: WorldCheck {
  let records: WorldRecords

  func run() async throws {
    let place = context.appEnvironment
    for erasure in context.merges.all where erasure.isErasure {
      let user = erasure.user
      let left = try await database.read { database -> [String] in
        var left = try NamingTable.allCases.filter { table in
          let found = try database.rows(
            naming: user, writtenAs: "\"\(user)\"", in: table, of: place, after: 0, count: .max / 2)
          return !found.payments.isEmpty || !found.entries.isEmpty
        }.map { "\($0)" }
        if try database.users(after: nil, in: place, limit: 1000).contains(user) { left.append("orders or balances") }
        if try database.erasure(of: user, in: place) != nil { left.append("an erasure under way") }
        if try database.erasure(as: erasure.into, of: place.app)?.doneAt == nil { left.append("no record") }
        return left
      }
      if !left.isEmpty { events.reportViolation("\(user) was erased, and is in \(left.joined(separator: ", "))") }
    }
  }
}
