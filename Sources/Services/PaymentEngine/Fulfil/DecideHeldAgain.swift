import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Decides again about payments that were held because the catalog did not know their product, or knew another
  /// kind. At a later start the product may be back, or the subscription may have a promise.
  ///
  /// It uses the ordinary process with the stored data, including claims made while the payment waited.
  package func decideHeldAgain() async throws {
    for app in apps.all where !app.isObserving {
      for environment in app.acceptedEnvironments.sorted() {
        let appEnvironment = AppEnvironment(app: app.id, environment: environment)
        let held = try await read { reader in
          try reader.payments(
            inState: "held", firstSeenBefore: Timestamp(milliseconds: .max), in: appEnvironment,
            limit: DatabaseLimits.paymentsPerSubscription)
        }
        for payment in held where payment.waitsForItsProduct { try await decideAgain(payment, app) }
      }
    }
  }

  private func decideAgain(_ payment: Payment, _ app: AppPolicy) async throws {
    try Task.checkCancellation()
    guard let last = try await read({ try $0.evidence(of: payment.key).last { $0.origin != .operator } }) else {
      return
    }
    let update = PaymentUpdate(facts: payment.facts, evidence: last.text, origin: last.origin)
    _ = try await fulfil(update, for: app)
  }

  /// The same as a background task: if the database cannot be reached at start, it tries again.
  func decideHeldAtStart() async {
    await repeatUntilDone(loggingErrors: "payment.heldNotDecided", pause: limits.storeQuestionRepeat) {
      try await decideHeldAgain()
      return true
    }
  }
}
