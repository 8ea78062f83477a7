import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

// Operator actions on a waiting payment, beside giving it to a user.
extension PaymentEngine {
  /// Sets a waiting payment aside, with a reason: nothing grants it until it is released.
  ///
  /// - Throws: `paymentUnknown`; `actNotPossible` for one that was granted, taken back or imported.
  package func setAside(
    _ key: PaymentKey, by operatorName: String, reason: String
  ) async throws -> Payment {
    let statement = Self.byOperator(operatorName, reason: reason)
    return try await transact { transaction in
      var payment = try Self.known(key, transaction)
      // The first reason stays.
      guard !payment.isSetAside else { return payment }
      let before = payment
      do throws(PaymentTransitionError) {
        _ = try payment.receive(.setAside(by: operatorName, reason: reason, at: transaction.now))
      } catch {
        throw CodedError<EngineErrorCode>(.actNotPossible, "It is \(before.state.phrase).")
      }
      try Self.write(payment, .setAside, statement: statement, in: transaction)
      return payment
    }
  }

  /// Releases a payment that was set aside: stopped changes are tried, and it is decided about again.
  ///
  /// - Throws: `paymentUnknown`; `actNotPossible` for one that is neither set aside nor waiting.
  package func release(
    _ key: PaymentKey, by operatorName: String, reason: String
  ) async throws -> Payment {
    let statement = Self.byOperator(operatorName, reason: reason)
    try await transact { transaction in
      var payment = try Self.known(key, transaction)
      // A repetition continues if the process ended during the first call.
      if payment.awaitsOwner { return }
      do throws(PaymentTransitionError) { _ = try payment.receive(.released) } catch {
        throw CodedError<EngineErrorCode>(.actNotPossible, "It is \(payment.state.phrase).")
      }
      try Self.write(payment, .released, statement: statement, in: transaction)
    }
    return try await decideAnew(key, statement)
  }

  /// Tries the stopped changes of a payment again, and decides again about one that waits.
  ///
  /// - Throws: `paymentUnknown` if neither a payment nor a stopped change of that id is known.
  package func retryPayment(_ key: PaymentKey, by operatorName: String, reason: String?) async throws -> Payment {
    let statement = Self.byOperator(operatorName, reason: reason)
    try await transact { transaction in
      guard try transaction.payment(key) != nil || !transaction.stoppedChanges(of: key).isEmpty else {
        throw CodedError<EngineErrorCode>(.paymentUnknown)
      }
      try transaction.insert(
        JournalEntry(
          .retryAsked, in: key.appEnvironment, at: transaction.now, order: nil, payment: key,
          details: statement))
    }
    return try await decideAnew(key, statement)
  }

  /// Tries stopped changes first, because they contain the claims with which they came.
  private func decideAnew(_ key: PaymentKey, _ statement: String) async throws -> Payment {
    guard let app = apps[key.app] else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    try await retryStoppedChanges(of: key)
    let payment = try await read { reader in
      try reader.payment(key) ?? reader.duplicate(key).flatMap { try reader.payment($0.of) }
    }
    guard let payment else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    guard payment.awaitsOwner else { return payment }
    switch payment.state {
    case .held(.unknownToApple), .held(.environmentUnknown):
      // Only Apple's answer ends these.
      _ = try await askAgain(about: payment.key, app)
      return payment
    default: break
    }
    if let charge = VerifiedCharge(payment.facts) {
      return try await learn(charge, evidence: statement, origin: .operator, for: app)?.payment ?? payment
    }
    guard !payment.key.store.opensOrders else { return payment }
    return try await fulfil(PaymentUpdate(facts: payment.facts, evidence: statement, origin: .operator), for: app)
      .payment
  }

  private static func known(_ key: PaymentKey, _ transaction: any DatabaseTransaction) throws -> Payment {
    guard let payment = try transaction.payment(key) else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    return payment
  }

  /// Stores the result of an operator's action on a payment; the order that it names records it for waiting readers.
  private static func write(
    _ payment: Payment, _ event: JournalEvent, statement: String, in transaction: any DatabaseTransaction
  ) throws {
    let now = transaction.now
    try transaction.update(payment)
    try transaction.insert(Evidence(payment: payment.key, text: statement, origin: .operator, receivedAt: now))
    try transaction.insert(
      JournalEntry(
        event, in: payment.key.appEnvironment, at: now, order: payment.order, payment: payment.key,
        details: statement))
    guard let token = payment.facts.token,
      var order = try transaction.order(OrderKey(appEnvironment: payment.key.appEnvironment, id: token)),
      order.state.isUnpaid
    else { return }
    order.lastVerdict = LastVerdict(.held, reason: payment.state.reason, at: now)
    try transaction.update(order)
  }
}

extension PaymentState {
  /// The state with its reason, as text for people.
  var phrase: String {
    if case .held(let reason) = self { "\(name) (\(reason.rawValue))" } else { name }
  }
}
