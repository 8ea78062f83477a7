import CounterfoilAPI
import PaymentPrimitives

extension Purchasing {
  /// How long an earlier record without evidence waits for a transaction of its product.
  private static let earlierLifetime = TimeSpan.days(30)

  /// Takes over the records that the app's earlier code stored. When it returns, the vault holds all of them, and the
  /// app may erase its own copies; a repeated call is harmless. Records of the signed-in user are submitted at once,
  /// the others when their user signs in.
  ///
  /// - Throws: `PurchasingError` with `notRunning`, `vaultUnavailable`, or `vaultFull` (50 records): then keep your
  ///   copies, and call again at the next start.
  public func takeOver(_ records: [EarlierRecord]) async throws(PurchasingError) {
    guard await hasStarted() else { throw PurchasingError(.notRunning, "Call `start()` first.") }
    guard await vaultIsLoaded() else { throw PurchasingError(.vaultUnavailable) }
    for record in records {
      guard let fit = record.fitForVault else {
        log(.error, "client.earlier.unusable", [("product", record.product.text)])
        continue
      }
      let isThere: Bool
      do throws(VaultFailure) {
        isThere = try await book.takeOver(
          KeptEarlierRecord(
            id: RecordIdentifier(dependencies.makeOrderIdentifier().appAccountToken), app: configuration.app,
            record: fit, takenOverAt: dependencies.now()))
      } catch {
        throw PurchasingError(.vaultUnavailable, error.explanation)
      }
      guard isThere else { throw PurchasingError(.vaultFull) }
    }
    log(.info, "client.earlier.takenOver", [("records", "\(records.count)")])
    await tasks.add { _ = await self.performRecovery(.userAsked) }
  }

  /// Submits the signed-in user's earlier records that have no transaction in the store's queue.
  func submitEarlier(
    besides entries: [StoreTransaction]?, _ reason: RecoveryReason
  ) async -> [SubmissionResult] {
    guard let user, TransactionSource.vault(reason).asksAgain else { return [] }
    var results: [SubmissionResult] = []
    for kept in await book.earlier where kept.record.user == user {
      guard !Task.isCancelled, self.user == user else { break }
      let inQueue = entries?.contains { kept.mayBePaid(by: $0) && $0.isEvidence } ?? true
      guard !inQueue else { continue }
      if kept.record.isEvidence {
        results.append(await submit(kept, user))
      } else if dependencies.now() > kept.takenOverAt + Self.earlierLifetime {
        // No evidence, and no transaction in the queue for a month: it was never paid, or the earlier code finished
        // it.
        await forget(kept)
      }
    }
    return results
  }

  private func submit(_ kept: KeptEarlierRecord, _ user: UserIdentifier) async -> SubmissionResult {
    guard submittingEarlier.insert(kept.id).inserted else { return .unknown }
    defer { submittingEarlier.remove(kept.id) }
    let record = kept.record
    var request = SubmitAppStorePayment.Request(evidence: "")
    request.evidence = record.evidence
    request.transaction = record.transaction
    request.orderNames = [record.reference]
    request.deviceVerificationId = await deviceVerificationId()
    request.claimed.product = record.product.text
    request.claimed.quantity = Int64(record.quantity)
    request.claimed.amount = record.amount
    request.claimed.currency = record.currency
    let asked = request
    let server = self.server
    var concerned: [PaymentAnswer] = []
    for _ in 0..<Self.continuationsMax {
      switch await asUser(user, { await server.submit(asked, as: $0) }) {
      case .answered(let response):
        concerned += response.payments.filter { answer in
          record.transaction.map { $0 == answer.transaction } ?? (answer.product == record.product)
        }
        if response.more { continue }
        return await takeIn(concerned, kept)
      case .refused(let problem):
        log(.error, "client.earlier.refused", [("reference", record.reference), ("code", problem.code)])
        return .unreadable(code: problem.code)
      case .unknown, .noCredential:
        return .unknown
      }
    }
    return .unknown
  }

  private func takeIn(_ answers: [PaymentAnswer], _ kept: KeptEarlierRecord) async -> SubmissionResult {
    // A receipt may hold several purchases of one product: an undecided one takes precedence.
    guard let last = answers.first(where: { !$0.finish }) ?? answers.last else {
      log(.warning, "client.earlier.notInEvidence", [("reference", kept.record.reference)])
      return .unreadable(code: "not_in_evidence")
    }
    if last.verdict != .pending {
      emit(.earlierRecordJudged(reference: kept.record.reference, last.verdict, reason: last.reason))
    }
    if last.finish { await forget(kept) }
    return .answered(last)
  }

  /// The app's own numbers of the earlier records that a transaction may pay.
  func earlierReferences(for transaction: StoreTransaction) async -> [String] {
    await book.earlier.filter { $0.record.user == user && $0.mayBePaid(by: transaction) }.map(\.record.reference)
  }

  /// Removes the earlier record that a transaction of the queue plainly completed.
  func letGoOfEarlier(_ transaction: StoreTransaction, _ answer: PaymentAnswer) async {
    let fitting = await book.earlier.filter { $0.mayBePaid(by: transaction) }
    let exact = fitting.first { $0.record.transaction == answer.transaction }
    let named = fitting.first { $0.record.reference == answer.reference }
    guard let kept = exact ?? named ?? (fitting.count == 1 ? fitting[0] : nil) else { return }
    emit(.earlierRecordJudged(reference: kept.record.reference, answer.verdict, reason: answer.reason))
    await forget(kept)
  }

  private func forget(_ kept: KeptEarlierRecord) async {
    do throws(VaultFailure) {
      try await book.forget(kept)
    } catch {
      log(.error, "client.vault.failed", [("what", error.explanation)])
    }
  }
}
