package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// What happened in an app environment by the hour, as far as it was counted.
package struct Activity: Sendable {
  /// Hours before this one were never counted.
  package let since: Int64
  /// Everything that was committed before this moment is counted.
  package let until: Timestamp
  /// By hour, name and currency.
  package let totals: [HourlyTotal]
  /// The counted deliveries that are not acknowledged now, by the hour in which they were made.
  package let open: [OpenDeliveries]
}

extension PaymentEngine {
  /// What happened in those hours; nil if nothing was counted yet.
  package func readActivity(in hours: Range<Int64>, of appEnvironment: AppEnvironment) async throws -> Activity? {
    let now = now
    return try await read { reader in
      guard let place = try reader.setting(HourlyTotal.place).flatMap({ TotalsPlace(text: $0) }) else { return nil }
      var until = now
      for table in CountedTable.allCases {
        if let next = try reader.firstCountedRow(of: table, from: place[table] + 1) { until = min(until, next.at) }
      }
      return Activity(
        since: place.from, until: until, totals: try reader.hourlyTotals(in: hours, of: appEnvironment),
        open: try reader.openDeliveries(in: hours, upTo: place[.deliveries], of: appEnvironment))
    }
  }
}
