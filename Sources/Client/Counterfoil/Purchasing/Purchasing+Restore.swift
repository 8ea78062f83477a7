import CounterfoilAPI
import PaymentPrimitives

extension Purchasing {
  /// Asks the store for earlier purchases of this Apple account, and submits them for the signed-in user. Call it only
  /// when the customer taps for it: it may ask for their password (X1, 1A.44).
  ///
  /// Only the server's rules grant anything: purchases of another user stay with that user.
  ///
  /// - Returns: what was found. `isCancelled` if the customer cancelled.
  /// - Throws: `PurchasingError` with `notRunning`, `notSignedIn`, `vaultUnavailable` or `restoreFailed`.
  public func restorePurchases() async throws(PurchasingError) -> RecoveryReport {
    guard await hasStarted() else { throw PurchasingError(.notRunning, "Call `start()` first.") }
    guard user != nil else { throw PurchasingError(.notSignedIn, "Call `setUser(_:)` first.") }
    guard await vaultIsLoaded() else { throw PurchasingError(.vaultUnavailable) }
    let queue = self.queue
    let answer = await bounded(configuration.policies.purchaseLimit) { () -> Result<[StoreTransaction], StoreFailure> in
      do throws(StoreFailure) {
        return .success(try await queue.restore())
      } catch {
        return .failure(error)
      }
    }
    var report = RecoveryReport()
    switch answer {
    case nil:
      throw PurchasingError(.restoreFailed, "The store did not answer in time.")
    case .failure(let failure) where failure.isCancelled:
      report.isComplete = false
      report.isCancelled = true
      return report
    case .failure(let failure):
      throw PurchasingError(.restoreFailed, failure.explanation, storeFailure: failure)
    case .success(let entries):
      for result in await submitAll(entries, .restore) { report.count(result) }
      log(.info, "client.restored", [("entries", "\(entries.count)"), ("fulfilled", "\(report.fulfilled)")])
      return report
    }
  }
}

extension RecoveryReport {
  /// Counts the result of one transaction.
  mutating func count(_ result: SubmissionResult) {
    switch result {
    case .answered(let answer) where answer.verdict == .fulfilled || answer.verdict == .fulfilledForAnother:
      fulfilled += 1
    case .finishedBefore: break
    case .noUser, .unknown: waiting += 1
    case .answered(let answer) where answer.verdict == .pending: waiting += 1
    case .answered, .unreadable: setAside += 1
    }
  }
}
