package import PaymentModel
import PaymentDatabase
package import PaymentPrimitives
import StrictJSON

// What an operator can do with a payment that waits, beside giving it to a user.
extension PaymentEngine {
  /// Puts a payment that waits aside, with a reason: nothing grants it until it is released.
  ///
  /// - Throws: `paymentUnknown`; `actNotPossible` for one that was granted, taken back or imported.
  package func setAside(
    _ key: PaymentKey, by operatorName: String, reason: String
  ) async throws -> Payment {
    let word = Self.byOperator(operatorName, reason: reason)
    return try await transact { transaction in
      var payment = try Self.known(key, transaction)
      // The first word stands.
      guard !payment.isSetAside else { return payment }
      let before = payment
      do throws(PaymentTransitionError) {
        _ = try payment.receive(.setAside(by: operatorName, reason: reason, at: transaction.now))
      } catch {
        throw CodedError<EngineErrorCode>(.actNotPossible, "It is \(before.state.phrase).")
      }
      try Self.write(payment, "payment.setAside", word, in: transaction)
      return payment
    }
  }

  /// Releases a payment that was set aside: what came since is tried, and it is decided about anew.
  ///
  /// - Throws: `paymentUnknown`; `actNotPossible` for one that is not set aside and waits no more.
  package func release(
    _ key: PaymentKey, by operatorName: String, reason: String
  ) async throws -> Payment {
    let word = Self.byOperator(operatorName, reason: reason)
    try await transact { transaction in
      var payment = try Self.known(key, transaction)
      // A repeat goes on where the first one may have been killed.
      if payment.awaitsOwner { return }
      do throws(PaymentTransitionError) { _ = try payment.receive(.released) } catch {
        throw CodedError<EngineErrorCode>(.actNotPossible, "It is \(payment.state.phrase).")
      }
      try Self.write(payment, "payment.released", word, in: transaction)
    }
    return try await decideAnew(key, word)
  }

  /// Tries what was stopped of a payment again, and decides anew about one that waits.
  ///
  /// - Throws: `paymentUnknown` where neither a payment nor a stopped change of that id is known.
  package func retryPayment(_ key: PaymentKey, by operatorName: String, reason: String?) async throws -> Payment {
    let word = Self.byOperator(operatorName, reason: reason)
    try await transact { transaction in
      guard try transaction.payment(key) != nil || !transaction.stoppedChanges(of: key).isEmpty else {
        throw CodedError<EngineErrorCode>(.paymentUnknown)
      }
      try transaction.insert(
        JournalEntry(
          realm: key.realm, at: transaction.now, what: "payment.retryAsked", order: nil, payment: key, details: word))
    }
    return try await decideAnew(key, word)
  }

  /// What was stopped is tried first: it has the claims with which it came.
  private func decideAnew(_ key: PaymentKey, _ word: String) async throws -> Payment {
    guard let app = apps[key.app] else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    try await retryStoppedChanges(of: key)
    let payment = try await read { store in
      try store.payment(key) ?? store.echo(key).flatMap { try store.payment($0.of) }
    }
    guard let payment else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    guard payment.awaitsOwner else { return payment }
    switch payment.state {
    case .held(.unknownToApple), .held(.environmentUnknown):
      // Only Apple's word ends these.
      _ = try await askAgain(about: payment.key, app)
      return payment
    default: break
    }
    if let charge = VerifiedCharge(payment.facts) {
      return try await learn(charge, evidence: word, origin: .operator, for: app)?.payment ?? payment
    }
    guard payment.key.store == .appStore else { return payment }
    return try await fulfil(PaymentUpdate(facts: payment.facts, evidence: word, origin: .operator), for: app).payment
  }

  private static func known(_ key: PaymentKey, _ transaction: any DatabaseTransaction) throws -> Payment {
    guard let payment = try transaction.payment(key) else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    return payment
  }

  /// Writes what an operator's word made of a payment; the order that it names shows it to whoever waits.
  private static func write(
    _ payment: Payment, _ what: String, _ word: String, in transaction: any DatabaseTransaction
  ) throws {
    let now = transaction.now
    try transaction.update(payment)
    try transaction.insert(Evidence(payment: payment.key, text: word, origin: .operator, receivedAt: now))
    try transaction.insert(
      JournalEntry(
        realm: payment.key.realm, at: now, what: what, order: payment.order, payment: payment.key, details: word))
    guard let token = payment.facts.token,
      var order = try transaction.order(OrderKey(realm: payment.key.realm, id: token)), order.state.isUnpaid
    else { return }
    order.lastVerdict = LastVerdict(verdict: "held", reason: payment.state.reason, at: now)
    try transaction.update(order)
  }
}

extension PaymentState {
  /// Why it is held, as a caller reads it; nil for one that is not.
  package var reason: String? {
    switch self {
    case .held(let reason): reason.rawValue
    case .setAside: word
    case .verified, .fulfilled, .unclaimed, .revoked, .imported, .reversed, .reinstated: nil
    }
  }

  /// The state with its reason, for people.
  var phrase: String {
    if case .held(let reason) = self { "\(word) (\(reason.rawValue))" } else { word }
  }
}
