import CounterfoilAPI
import PaymentPrimitives

/// Purchases that the app's earlier, hand-written code stored: kept in the vault until the server has judged them.
final class EarlierPurchases {
  /// How long an earlier record without evidence waits for a transaction of its product.
  private static let lifetime = TimeSpan.days(30)

  private let app: AppIdentifier
  private let dependencies: Dependencies
  private let server: ServerConnection
  private let records: VaultRecords
  private let session: UserSession
  private let store: StoreAccess
  private let events: EventBroadcaster
  private let log: SupportLog
  /// Earlier records that are being submitted.
  private var submitting: Set<RecordIdentifier> = []

  init(_ resources: PurchasingResources, _ state: PurchasingState) {
    app = resources.configuration.app
    dependencies = resources.dependencies
    server = resources.server
    records = resources.records
    session = state.session
    store = state.store
    events = state.events
    log = state.log
  }

  /// Takes over the records that the app's earlier code stored.
  ///
  /// - Throws: `PurchasingError` with `vaultUnavailable` or `vaultFull`.
  nonisolated(nonsending) func takeOver(_ new: [EarlierRecord]) async throws(PurchasingError) {
    for record in new {
      guard let fit = record.fitForVault else {
        log.write(.error, "client.earlier.unusable", with: [("product", record.product.text)])
        continue
      }
      let isThere: Bool
      do throws(VaultFailure) {
        isThere = try await records.takeOver(
          KeptEarlierRecord(
            id: RecordIdentifier(dependencies.makeOrderIdentifier().appAccountToken), app: app,
            record: fit, takenOverAt: dependencies.now()))
      } catch {
        throw PurchasingError(.vaultUnavailable, error.explanation)
      }
      guard isThere else { throw PurchasingError(.vaultFull) }
    }
    log.write(.info, "client.earlier.takenOver", with: [("records", "\(new.count)")])
  }

  /// Submits the signed-in user's earlier records that have no transaction in the store's queue.
  nonisolated(nonsending) func submitAll(
    besides entries: [StoreTransaction]?, _ reason: RecoveryReason
  ) async -> [SubmissionResult] {
    guard let user = session.user, TransactionSource.vault(reason).asksAgain else { return [] }
    var results: [SubmissionResult] = []
    for kept in await records.earlier where kept.record.user == user {
      guard !Task.isCancelled, session.user == user else { break }
      let inQueue = entries?.contains { kept.mayBePaid(by: $0) && $0.isEvidence } ?? true
      guard !inQueue else { continue }
      if kept.record.isEvidence {
        results.append(await submit(kept, user))
      } else if dependencies.now() > kept.takenOverAt + Self.lifetime {
        // No evidence, and no transaction in the queue for a month: it was never paid, or the earlier code finished
        // it.
        await forget(kept)
      }
    }
    return results
  }

  nonisolated(nonsending) private func submit(
    _ kept: KeptEarlierRecord, _ user: UserIdentifier
  ) async -> SubmissionResult {
    guard submitting.insert(kept.id).inserted else { return .unknown }
    defer { submitting.remove(kept.id) }
    let record = kept.record
    let request = await request(for: record)
    let server = self.server
    var concerned: [PaymentAnswer] = []
    for _ in 0..<TransactionSubmission.continuationsMax {
      switch await session.asUser(user, { await server.submit(request, as: $0) }) {
      case .answered(let response):
        concerned += response.payments.filter { answer in
          record.transaction.map { $0 == answer.transaction } ?? (answer.product == record.product)
        }
        if response.more { continue }
        return await apply(concerned, to: kept)
      case .refused(let problem):
        log.write(.error, "client.earlier.refused", with: [("reference", record.reference), ("code", problem.code)])
        return .unreadable(code: problem.code)
      case .unknown, .noCredential:
        return .unknown
      }
    }
    return .unknown
  }

  nonisolated(nonsending) private func request(for record: EarlierRecord) async -> SubmitAppStorePayment.Request {
    var request = SubmitAppStorePayment.Request(evidence: "")
    request.evidence = record.evidence
    request.transaction = record.transaction
    request.orderNames = [record.reference]
    request.deviceVerificationId = await store.deviceVerificationId()
    request.claimed.product = record.product.text
    request.claimed.quantity = Int64(record.quantity)
    request.claimed.amount = record.amount
    request.claimed.currency = record.currency
    return request
  }

  nonisolated(nonsending) private func apply(
    _ answers: [PaymentAnswer], to kept: KeptEarlierRecord
  ) async -> SubmissionResult {
    // A receipt may hold several purchases of one product: an undecided one takes precedence.
    guard let last = answers.first(where: { !$0.finish }) ?? answers.last else {
      log.write(.warning, "client.earlier.notInEvidence", with: [("reference", kept.record.reference)])
      return .unreadable(code: "not_in_evidence")
    }
    if last.verdict != .pending {
      events.emit(.earlierRecordJudged(reference: kept.record.reference, last.verdict, reason: last.reason))
    }
    if last.finish { await forget(kept) }
    return .answered(last)
  }

  // MARK: transactions of the queue

  /// The app's own numbers of the earlier records that a transaction may pay.
  nonisolated(nonsending) func references(for transaction: StoreTransaction) async -> [String] {
    let kept = await records.earlier
    return kept.filter { $0.record.user == session.user && $0.mayBePaid(by: transaction) }.map(\.record.reference)
  }

  /// Removes the earlier record that a transaction of the queue plainly completed.
  nonisolated(nonsending) func removeCompleted(
    by transaction: StoreTransaction, _ answer: PaymentAnswer
  ) async {
    let fitting = await records.earlier.filter { $0.mayBePaid(by: transaction) }
    let exact = fitting.first { $0.record.transaction == answer.transaction }
    let named = fitting.first { $0.record.reference == answer.reference }
    guard let kept = exact ?? named ?? (fitting.count == 1 ? fitting[0] : nil) else { return }
    events.emit(.earlierRecordJudged(reference: kept.record.reference, answer.verdict, reason: answer.reason))
    await forget(kept)
  }

  nonisolated(nonsending) private func forget(_ kept: KeptEarlierRecord) async {
    do throws(VaultFailure) {
      try await records.forget(kept)
    } catch {
      log.vaultFailed(error)
    }
  }
}
