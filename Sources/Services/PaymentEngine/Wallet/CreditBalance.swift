import CounterfoilAPI
import PaymentDatabase
import PaymentModel
package import PaymentPrimitives

/// Units that a backend gives a user without a payment: a daily reward, an apology.
package struct CreditRequest: Hashable, Sendable {
  package var user: UserIdentifier
  package var unit: UnitName
  /// Units given, more than 0.
  package var amount: Int64
  /// The backend's own id of the credit: the same id always means the same credit.
  package var key: String
  /// A digest of the request with that id.
  package var digest: String
  package var reason: String
  /// The backend's own data, as canonical JSON text.
  package var metadata: String?

  package init(user: UserIdentifier, unit: UnitName, amount: Int64, key: String, digest: String, reason: String) {
    self.user = user
    self.unit = unit
    self.amount = amount
    self.key = key
    self.digest = digest
    self.reason = reason
  }
}

/// What the configuration lets a backend give: `[[app.credit]]`.
package struct CreditCeiling: Hashable, Sendable {
  package var unit: UnitName
  /// Units at most for one user in one day (UTC).
  package var perUserAndDay: Int64

  package init(unit: UnitName, perUserAndDay: Int64) {
    self.unit = unit
    self.perUserAndDay = perUserAndDay
  }
}

extension PaymentEngine {
  /// Gives units to a user. It is a booking from an account of its own, never a grant: no refund takes it back.
  ///
  /// A repetition with the same id returns the credit, with the present balance. Of any number of concurrent credits,
  /// each sees what the others have left of the day's ceiling.
  /// - Throws: `creditUnitUnknown` for a unit without a ceiling, `creditCeilingReached` naming what is left,
  ///   `idempotencyKeyReused` for the same id with another user, unit or body.
  package func creditBalance(_ request: CreditRequest, in appEnvironment: AppEnvironment) async throws -> BookedBalance
  {
    guard let app = apps[appEnvironment.app] else { throw CodedError<EngineErrorCode>(.creditUnitUnknown) }
    let answer = try await transact { transaction in
      if let known = try Self.booked(
        request.key, request.digest, kind: .credit, in: appEnvironment, reader: transaction)
      {
        return known
      }
      guard let ceiling = app.credits.first(where: { $0.unit == request.unit })?.perUserAndDay else {
        let units = app.credits.map(\.unit.text).sorted().joined(separator: ", ")
        throw CodedError<EngineErrorCode>(
          .creditUnitUnknown, "\(request.unit) may not be credited; configured: \(units.isEmpty ? "none" : units).")
      }
      try transaction.refuseErasure(of: request.user, in: appEnvironment)
      let user = try transaction.present(request.user, in: appEnvironment)
      // First the balance: credits of one user wait for each other there.
      let balance = try transaction.balance(of: user, unit: request.unit, in: appEnvironment)?.amount ?? 0
      let given = try transaction.creditedUnits(
        to: user, unit: request.unit, since: Self.dayBegin(of: transaction.now), in: appEnvironment)
      let left = max(0, ceiling - given)
      let (after, overflows) = balance.addingReportingOverflow(request.amount)
      guard request.amount <= left, !overflows else {
        throw CodedError<EngineErrorCode>(
          .creditCeilingReached,
          "\(left) of \(ceiling) \(request.unit) are left for this user until the end of the day (UTC).")
      }
      var booking = Booking(
        appEnvironment: appEnvironment, key: request.key, user: user, unit: request.unit, kind: .credit,
        amount: request.amount, requestDigest: request.digest, at: transaction.now)
      booking.reason = request.reason
      booking.metadata = request.metadata
      try transaction.insert(booking)
      if let making = EventMaking(app, at: transaction.now) {
        try transaction.tell(making.booked(booking, leaving: after))
      }
      return BookedBalance(booking: booking, balance: after, isNew: true)
    }
    if answer.isNew {
      metrics.count(.creditsTotal, [("environment", appEnvironment.environment.rawValue)])
    }
    return answer
  }

  /// The units that were given to a user, by unit; only those that may be given now, and that were.
  package func readCredits(to user: UserIdentifier, in appEnvironment: AppEnvironment) async throws
    -> [UnitName: Int64]
  {
    let units = apps[appEnvironment.app]?.credits.map(\.unit) ?? []
    guard !units.isEmpty else { return [:] }
    return try await read { reader in
      let user = try reader.present(user, in: appEnvironment)
      let sums = try units.map { unit in
        let since = Timestamp(milliseconds: 0)
        return (unit, try reader.creditedUnits(to: user, unit: unit, since: since, in: appEnvironment))
      }
      return Dictionary(sums.filter { $0.1 > 0 }) { first, _ in first }
    }
  }

  /// Midnight of the day, UTC.
  private static func dayBegin(of moment: Timestamp) -> Timestamp {
    let day = TimeSpan.days(1).milliseconds
    return Timestamp(milliseconds: moment.milliseconds - moment.milliseconds % day)
  }
}
