import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Asks the background task to decide again about held payments. A request waits until the task runs.
struct HeldSignal: Sendable {
  let requests: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (requests, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  func ask() { continuation.yield() }
}

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

  /// The same as a background task, at start and after a reload that could not do it. If the database cannot be
  /// reached, it tries again: perhaps no phone presents these payments again.
  func decideHeldScheduled() async {
    heldSignal.ask()
    for await _ in heldSignal.requests {
      await repeatUntilDone(loggingErrors: "payment.heldNotDecided", pause: limits.storeQuestionRepeat) {
        try await decideHeldAgain()
        return true
      }
    }
  }
}
