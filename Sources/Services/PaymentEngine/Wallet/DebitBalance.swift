import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// A debit that a backend requests on a user's balance.
package struct DebitRequest: Hashable, Sendable {
  package var user: UserIdentifier
  package var unit: UnitName
  /// Units that the user spent, more than 0.
  package var amount: Int64
  /// The backend's own id of the debit: the same id always means the same debit.
  package var key: String
  /// A digest of the request with that id.
  package var digest: String
  package var reason: String?
  /// The backend's own data, as canonical JSON text.
  package var metadata: String?

  /// A debit with the backend's own id.
  package init(user: UserIdentifier, unit: UnitName, amount: Int64, key: String, digest: String) {
    self.user = user
    self.unit = unit
    self.amount = amount
    self.key = key
    self.digest = digest
  }
}

/// A booking with the present balance.
package struct BookedBalance: Hashable, Sendable {
  package let booking: Booking
  /// The user's present balance, whenever it was booked.
  package let balance: Int64
  /// Whether this call booked it.
  package let isNew: Bool
}

extension PaymentEngine {
  /// Debits units that a user has spent from their balance, never more than they have.
  ///
  /// A repetition with the same id returns the debit, with the present balance. Of any number of concurrent debits,
  /// each sees what the others have left.
  /// - Throws: `insufficientBalance` naming the balance, `balanceFrozen`, `idempotencyKeyReused` for the same id with
  ///   another user, unit or body.
  package func debitBalance(_ request: DebitRequest, in appEnvironment: AppEnvironment) async throws -> BookedBalance {
    let app = apps[appEnvironment.app]
    let answer = try await transact { transaction in
      if let known = try Self.booked(request.key, request.digest, kind: .debit, in: appEnvironment, reader: transaction)
      {
        return known
      }
      try transaction.refuseErasure(of: request.user, in: appEnvironment)
      var (user, balance) = (
        request.user, try transaction.balance(of: request.user, unit: request.unit, in: appEnvironment)
      )
      if balance?.amount ?? 0 == 0 {
        // Nothing stays with a user who was merged.
        user = try transaction.present(user, in: appEnvironment)
        if user != request.user { balance = try transaction.balance(of: user, unit: request.unit, in: appEnvironment) }
      }
      let amount = balance?.amount ?? 0
      guard balance?.frozenSince == nil else {
        throw CodedError<EngineErrorCode>(.balanceFrozen, "The balance of \(request.unit) is \(amount).")
      }
      guard amount >= request.amount else {
        throw CodedError<EngineErrorCode>(
          .insufficientBalance, "The balance of \(request.unit) is \(amount), asked \(request.amount).")
      }
      var booking = Booking(
        appEnvironment: appEnvironment, key: request.key, user: user, unit: request.unit, kind: .debit,
        amount: request.amount,
        requestDigest: request.digest, at: transaction.now)
      booking.reason = request.reason
      booking.metadata = request.metadata
      try transaction.insert(booking)
      if let making = app.flatMap({ EventMaking($0, at: transaction.now) }) {
        try transaction.tell(making.booked(booking, leaving: amount - request.amount))
      }
      return BookedBalance(booking: booking, balance: amount - request.amount, isNew: true)
    }
    if answer.isNew {
      metrics.count(.debitsTotal, [("environment", appEnvironment.environment.rawValue)])
    }
    return answer
  }

  /// Writes off a user's debt: sets a balance below zero back to zero, and unfreezes it.
  ///
  /// - Parameter key: the operator's own id of it; a repetition returns the first booking.
  /// - Throws: `balanceNotInDebt`, `idempotencyKeyReused`.
  package func writeOffDebt(
    of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment, key: String, reason: String,
    by name: String
  ) async throws -> BookedBalance {
    let digest = "writeOff " + JSONValue.array([.string(user.text), .string(unit.text), .string(reason)]).text
    let answer = try await transact { transaction in
      if let known = try Self.booked(key, digest, kind: .debtWrittenOff, in: appEnvironment, reader: transaction) {
        return known
      }
      try transaction.refuseErasure(of: user, in: appEnvironment)
      let user = try transaction.present(user, in: appEnvironment)
      let amount = try transaction.balance(of: user, unit: unit, in: appEnvironment)?.amount ?? 0
      guard (-Int64.max..<0).contains(amount) else {
        throw CodedError<EngineErrorCode>(.balanceNotInDebt, "The balance of \(unit) is \(amount).")
      }
      var booking = Booking(
        appEnvironment: appEnvironment, key: key, user: user, unit: unit, kind: .debtWrittenOff, amount: -amount,
        requestDigest: digest,
        at: transaction.now)
      booking.reason = reason
      booking.metadata = JSONValue.members([("by", .string(name))]).text
      try transaction.insert(booking)
      return BookedBalance(booking: booking, balance: 0, isNew: true)
    }
    if answer.isNew {
      metrics.count(.debtsWrittenOffTotal, [("environment", appEnvironment.environment.rawValue)])
      log(
        LogEvent(
          .info, "wallet.debtWrittenOff", [("app", appEnvironment.app.text), ("unit", unit.text), ("by", name)]))
    }
    return answer
  }

  /// The booking of this call, or of an earlier one with the same id.
  static func booked(
    _ key: String, _ digest: String, kind: Booking.Kind, in appEnvironment: AppEnvironment,
    reader: any DatabaseReader
  ) throws -> BookedBalance? {
    guard let known = try reader.booking(key, in: appEnvironment) else { return nil }
    guard known.kind == kind, known.requestDigest.utf8.elementsEqual(digest.utf8) else {
      throw CodedError<EngineErrorCode>(.idempotencyKeyReused)
    }
    let balance = try reader.balance(of: known.user, unit: known.unit, in: appEnvironment)?.amount ?? 0
    return BookedBalance(booking: known, balance: balance, isNew: false)
  }
}
