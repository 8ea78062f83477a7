import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// What an operator sees of orders that were nearly lost: the phones' counts, and the newest grants.
package struct PhoneDiagnostics: Sendable {
  /// The days of the phones, the newest first.
  package let counts: [PhoneCount]
  /// By which path the server first heard of each of the newest granted payments.
  package let firstHeardFrom: [(origin: Evidence.Origin, count: Int)]
  /// From the purchase until the grant, sorted; a clock that was ahead counts as no time.
  package let purchaseToGrant: [TimeSpan]

  /// The time within which a share of the grants came; nil if there is none.
  package func purchaseToGrant(percent: Int) -> TimeSpan? {
    guard let last = purchaseToGrant.indices.last else { return nil }
    return purchaseToGrant[min(last, purchaseToGrant.count * percent / 100)]
  }
}

extension PaymentEngine {
  /// How many of the newest grants are looked at: their evidence is read.
  package static let examinedGrantsMax = 200
  /// The kind under which the reports themselves are counted.
  package static let phoneReportsKind = "reports"

  /// Counts what a phone reports, once.
  ///
  /// - Returns: whether it is new.
  package func takePhoneReport(
    _ id: OrderIdentifier, counts: [String: Int64], for app: AppPolicy
  ) async throws -> Bool {
    let isNew = try await transact { transaction in
      if try transaction.hasPhoneReport(id, in: app.homeEnvironment) { return false }
      var counts = counts
      counts[Self.phoneReportsKind] = 1
      try transaction.insert(PhoneReport(id: id, in: app.homeEnvironment, at: transaction.now, counts: counts))
      return true
    }
    guard isNew else { return false }
    for (kind, count) in counts {
      metrics.count(.phoneDiagnosticsTotal, [("app", app.id.text), ("kind", kind)], by: Double(count))
    }
    return true
  }

  /// The phones' counts of some days, beside the newest grants of the app environment.
  package func readPhoneDiagnostics(
    from first: String, to last: String, in appEnvironment: AppEnvironment
  ) async throws -> PhoneDiagnostics {
    try await read { reader in
      let counts = try reader.phoneCounts(from: first, to: last, in: appEnvironment, limit: Self.listedMax)
      var origins: [Evidence.Origin: Int] = [:]
      var times: [TimeSpan] = []
      for payment in try Self.newestPayments(in: appEnvironment, reader) {
        guard let grant = try reader.grant(payment.key) else { continue }
        times.append(max(TimeSpan(milliseconds: 0), grant.grantedAt - payment.facts.purchaseDate))
        if let evidence = try reader.evidence(of: payment.key).first { origins[evidence.origin, default: 0] += 1 }
      }
      return PhoneDiagnostics(
        counts: counts,
        firstHeardFrom: origins.sorted { $0.key.rawValue < $1.key.rawValue }.map { (origin: $0.key, count: $0.value) },
        purchaseToGrant: times.sorted())
    }
  }

  /// Of both stores.
  private static func newestPayments(
    in appEnvironment: AppEnvironment, _ reader: any DatabaseReader
  ) throws -> [Payment] {
    let found = try [false, true].flatMap { charges in
      try reader.payments(PaymentQuery(appEnvironment: appEnvironment, charges: charges, limit: examinedGrantsMax))
    }
    return Array(found.sorted { PaymentPosition(of: $0) > PaymentPosition(of: $1) }.prefix(examinedGrantsMax))
  }
}
