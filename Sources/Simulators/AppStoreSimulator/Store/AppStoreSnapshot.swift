import AppStoreProtocol
import PaymentPrimitives
import SimulatorCore

/// The App Store at one moment, and what signs its answers.
///
/// It must be released before the next command: a second reference to the state would force a copy of it.
struct AppStoreSnapshot {
  let state: SimulatorState
  let now: Timestamp
  let signer: AppStoreSigner
  let dependencies: Dependencies

  /// A transaction, signed now: with the current time as its date and, after a refund, with the revocation (rules
  /// AS-SIGN-1, AS-SIGN-2).
  ///
  /// - Parameter device: the UUID of the calling device; nil for a server, which gets no device verification.
  /// - Throws: `transactionUnknown`.
  func signedTransaction(
    _ id: TransactionIdentifier, for device: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> SignedSimulatedTransaction {
    guard let transaction = state.transactions[id] else { throw CodedError(.transactionUnknown) }
    return try signed(transaction, for: device)
  }

  /// The known transactions of a list, each signed now.
  func signedTransactions(
    _ ids: [TransactionIdentifier], for device: AppStoreUUID?
  ) throws(CodedError<SimulatorErrorCode>) -> [SignedSimulatedTransaction] {
    var list: [SignedSimulatedTransaction] = []
    for transaction in ids.compactMap({ state.transactions[$0] }) {
      list.append(try signed(transaction, for: device))
    }
    return list
  }

  private func signed(
    _ transaction: SimulatedTransaction, for device: AppStoreUUID?
  ) throws(CodedError<SimulatorErrorCode>) -> SignedSimulatedTransaction {
    do throws(SimulatorState.Inconsistency) {
      var payload = try state.payload(of: transaction, signedAt: now)
      if let proof = proof(of: device) {
        payload.deviceVerificationNonce = proof.nonce
        payload.deviceVerification = proof.verification
      }
      return SignedSimulatedTransaction(transaction: transaction, signedTransaction: signer.sign(payload, at: now))
    } catch { throw CodedError(.logUnreadable, error.description) }
  }

  /// A subscription's signed renewal info, with its status.
  ///
  /// - Throws: `subscriptionUnknown`.
  func signedRenewalInfo(
    _ id: TransactionIdentifier, for device: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> (status: Status, signedRenewalInfo: String) {
    guard let subscription = state.subscriptions[id] else { throw CodedError(.subscriptionUnknown) }
    do throws(SimulatorState.Inconsistency) {
      var payload = try state.renewalPayload(of: subscription, signedAt: now)
      if let proof = proof(of: device) {
        payload.deviceVerificationNonce = proof.nonce
        payload.deviceVerification = proof.verification
      }
      return (try state.status(of: subscription, at: now), signer.sign(payload, at: now))
    } catch { throw CodedError(.logUnreadable, error.description) }
  }

  /// The app transaction of an account's app (rule AS-SIGN-4).
  ///
  /// - Throws: `accountUnknown`, also before the download.
  func signedAppTransaction(
    of owner: AppOwner, for device: AppStoreUUID?
  ) throws(CodedError<SimulatorErrorCode>) -> String {
    guard var payload = state.appTransaction(of: owner, at: now) else { throw CodedError(.accountUnknown) }
    if let proof = proof(of: device) {
      payload.deviceVerificationNonce = proof.nonce
      payload.deviceVerification = proof.verification
    }
    return signer.sign(payload, at: now)
  }

  /// What proves that an answer was made for this device (rule AS-SIGN-3).
  private func proof(of device: AppStoreUUID?) -> (nonce: String, verification: String)? {
    guard let device else { return nil }
    let nonce = AppStoreUUID(random: dependencies.randomBytes(16))
    return (nonce.text, AppStoreSigner.deviceVerification(nonce: nonce, device: device))
  }
}
