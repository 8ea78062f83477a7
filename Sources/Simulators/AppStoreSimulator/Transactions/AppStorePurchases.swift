package import PaymentPrimitives

/// Purchases of devices.
package struct AppStorePurchases: Sendable {
  let store: SimulatedAppStore

  /// Charges an account, or delivers an earlier payment again.
  ///
  /// - Throws: `appUnknown`, `productUnknown`, `accountUnknown`, `quantityNotAllowed`, `alreadySubscribed`,
  ///   `offerNotAllowed`, `offerSignatureInvalid`, `full`. Planned faults: `purchaseFailed` (nothing was charged) and
  ///   `answerLost` (it was charged: the device must find out).
  nonisolated(nonsending) package func purchase(
    _ request: SimulatedPurchaseRequest
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedPurchase {
    try await Self.purchase(request, at: store)
  }

  private static func purchase(
    _ request: SimulatedPurchaseRequest, at store: isolated SimulatedAppStore
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedPurchase {
    let wish = PurchaseDecision(request: request, testKey: store.testAPIKey.key)
    let (outcome, claimed) = try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      (try wish.decide(&decision), decision.claimed)
    }
    // Rule AS-NOTE-8: the notification is sent before the answer.
    if let claimed { await store.attempt(claimed) }
    switch outcome {
    case .failed: throw CodedError(.purchaseFailed)
    case .answerLost: throw CodedError(.answerLost, "The purchase was charged.")
    case .made(let outcome, let id):
      let signed = try store.snapshot.signedTransaction(id, for: request.deviceVerificationId)
      return SimulatedPurchase(
        outcome: outcome, transaction: signed.transaction, signedTransaction: signed.signedTransaction)
    }
  }
}
