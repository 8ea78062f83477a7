import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Checks that the audit of the database finds nothing, and that the backend has acknowledged each delivery.
struct AuditCheck: WorldCheck {
  let records: WorldRecords

  func run() async throws {
    let audit = PaymentAudit(atRest: true)
    let report = try await audit.run(on: database)
    for violation in report.violations { events.reportViolation("the audit finds: \(violation)") }
    let open = try await report.deliveriesOpen - deliveriesThatNobodyTakes()
    if open > 0 { events.reportViolation("\(open) deliveries were never acknowledged") }
  }

  /// The number of sandbox deliveries without a configured address: they wait for a backend that fetches them.
  private func deliveriesThatNobodyTakes() async throws -> Int {
    guard !context.plan.sandbox.delivers else { return 0 }
    return try await database.read { database in
      try database.payments(after: nil, limit: 10_000).filter { $0.key.environment == .sandbox }
        .flatMap { try database.deliveries(of: $0.key) }.count { $0.state == .pending }
    }
  }
}
