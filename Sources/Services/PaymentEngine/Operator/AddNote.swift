import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// What a note is about.
package enum NoteSubject: Hashable, Sendable {
  case order(OrderKey)
  case payment(PaymentKey)
}

extension PaymentEngine {
  /// Writes a note of an operator into the journal, for the team.
  ///
  /// - Throws: `orderUnknown`, `paymentUnknown`.
  package func addNote(_ text: String, on subject: NoteSubject, by operatorName: String) async throws {
    try await transact { transaction in
      let appEnvironment: AppEnvironment
      var (order, payment): (OrderIdentifier?, PaymentKey?) = (nil, nil)
      switch subject {
      case .order(let key):
        guard try transaction.order(key) != nil else { throw CodedError<EngineErrorCode>(.orderUnknown) }
        (appEnvironment, order) = (key.appEnvironment, key.id)
      case .payment(let key):
        guard let known = try transaction.payment(key) else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
        (appEnvironment, order, payment) = (key.appEnvironment, known.order, key)
      }
      try transaction.insert(
        JournalEntry(
          .operatorNoted, in: appEnvironment, at: transaction.now, order: order, payment: payment,
          details: Self.byOperator(operatorName, reason: text)))
    }
  }

  /// Sends parked deliveries of an app environment again, at most 100 at a time.
  ///
  /// - Returns: how many.
  package func redriveParked(in appEnvironment: AppEnvironment, by operatorName: String) async throws -> Int {
    let query = DeliveryQuery(appEnvironment: appEnvironment, selection: .parked, limit: 100)
    let parked = try await listDeliveries(query)
    for delivery in parked { _ = try await redrive(delivery.id, in: appEnvironment.app, by: operatorName) }
    return parked.count
  }
}
