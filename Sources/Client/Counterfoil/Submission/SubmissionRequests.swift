import CounterfoilAPI
import PaymentPrimitives

/// What is sent to the server about a transaction. The evidence is in the vault before it leaves.
struct SubmissionRequests {
  let app: AppIdentifier
  let dependencies: Dependencies
  let log: SupportLog
  let store: StoreAccess
  let records: VaultRecords
  let orders: OpenOrders
  let sheets: OpenedSheets
  let states: SubmissionStates
  let earlier: EarlierPurchases

  /// Keeps the evidence, notes the order that it seems to pay, and builds the request.
  nonisolated(nonsending) func prepare(
    _ shown: StoreTransaction, _ key: TransactionKey
  ) async -> (SubmitAppStorePayment.Request, isOrphan: Bool) {
    let transaction = await withFreshEvidence(shown, key)
    let (known, sameRun) = await keep(transaction, key)
    var request = SubmitAppStorePayment.Request(evidence: transaction.evidence ?? "")
    request.evidence = transaction.evidence ?? known.evidence
    request.transaction = key.id
    request.sameRun = sameRun
    request.deviceVerificationId = await store.deviceVerificationId()
    request.isRestore = states[key]?.isRestore == true
    request.claimed.product = known.product?.text
    request.claimed.quantity = Int64(known.quantity)
    var shown: StatedPrice?
    if let token = known.token { shown = await records.order(of: token)?.order?.shownPrice }
    if let price = shown ?? known.product.flatMap({ store.price(of: $0)?.times(known.quantity) }) {
      (request.claimed.amount, request.claimed.currency) = (price.decimal, price.currency)
    }
    let candidates = await records.orders.filter { $0.mayBePaid(by: known) }
    // Newest first; an order that the transaction names comes before all others.
    let ids = candidates.reversed().compactMap { $0.order?.id }
    request.orders = ids.filter { $0 == known.token } + ids.filter { $0 != known.token }
    request.orders += await ordersBesides(ids, in: request.evidence)
    let references = await earlier.references(for: known)
    request.orderNames = Array((request.orderNames + references).prefix(ContractLimits.orderIdentifiersMax))
    // A revocation marks no record as paid. It names orders nevertheless: a partly refunded payment may be new to the
    // server, and it belongs to the user who ordered it.
    guard key.revokedAt == nil else { return (request, isOrphan: false) }
    await attribute(known, key, to: candidates, sameRun: sameRun)
    let isNobodys = candidates.isEmpty && references.isEmpty && !known.isRenewal && !known.isFamilyShared
    return (request, isOrphan: isNobodys)
  }

  /// Keeps the evidence in the vault.
  ///
  /// - Returns: all that is known of the transaction, and the order whose sheet plainly sold it.
  nonisolated(nonsending) private func keep(
    _ transaction: StoreTransaction, _ key: TransactionKey
  ) async -> (known: StoreTransaction, sameRun: OrderIdentifier?) {
    let sameRun = sheets.sheetThatSold(transaction)?.order.id
    if let record = TransactionRecord(
      transaction, app: app, sameRun: sameRun, writtenAt: dependencies.now())
    {
      do throws(VaultFailure) {
        try await records.keep(record)
      } catch {
        // Money has been paid: the queue still holds the evidence, so it goes to the server in any case.
        log.vaultFailed(error)
      }
    }
    guard let kept = await records.transaction(key) else { return (transaction, sameRun) }
    return (kept.transaction, kept.sameRun ?? sameRun)
  }

  /// Orders that a receipt may show besides the transaction that it is sent for. Another user of this device may have
  /// bought them, so the signed-in user must not claim them. A signed transaction shows only one.
  nonisolated(nonsending) private func ordersBesides(
    _ ids: [OrderIdentifier], in evidence: String?
  ) async -> [OrderIdentifier] {
    guard let evidence, !evidence.utf8.contains(UInt8(ascii: ".")) else { return [] }
    let shown = await records.orders.filter(\.mayBePaidInReceipt)
    return shown.reversed().compactMap { $0.order?.id }.filter { !ids.contains($0) }
  }

  /// The transaction with newly fetched evidence, if the server did not find it in the last evidence.
  nonisolated(nonsending) private func withFreshEvidence(
    _ transaction: StoreTransaction, _ key: TransactionKey
  ) async -> StoreTransaction {
    guard states[key]?.isEvidenceStale == true, let entry = states[key]?.inQueue,
      let fresh = await store.freshEvidence(of: entry)
    else { return transaction }
    var transaction = transaction
    transaction.evidence = fresh
    return transaction
  }

  /// Notes in the record that its payment seems to be here. The server decides; a guess that it does not confirm is
  /// undone.
  nonisolated(nonsending) private func attribute(
    _ transaction: StoreTransaction, _ key: TransactionKey, to candidates: [OrderRecord],
    sameRun: OrderIdentifier?
  ) async {
    let named = candidates.first { $0.order?.id == transaction.token }
    let only = candidates.count == 1 ? candidates.first : nil
    let seen = candidates.first { $0.order?.id == sameRun }
    guard let record = named ?? only ?? seen else { return }
    await orders.applyIfPossible(.charged(key.id), to: record.id)
  }
}
