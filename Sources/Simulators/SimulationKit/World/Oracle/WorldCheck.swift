import PaymentDatabase

/// A check of a world after its end. It reports what it finds in the world's trace.
protocol WorldCheck: Sendable {
  var records: WorldRecords { get }

  func run() async throws
}

extension WorldCheck {
  var context: SimulationContext { records.context }
  var events: EventTrace { records.events }
  var database: any PaymentDatabase { records.database }
}
