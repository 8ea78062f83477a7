package import PaymentDatabase
package import PaymentEngine
import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// A row of the earlier system's records: the owner of a transaction.
package struct EarlierPurchase: Hashable, Sendable {
  package var transaction: TransactionIdentifier
  /// The first transaction of its subscription, if the records contain it.
  package var originalTransaction: TransactionIdentifier?
  package var user: UserIdentifier
  /// The product, if the records contain it.
  package var product: StoreProductIdentifier?

  package init(transaction: TransactionIdentifier, user: UserIdentifier) {
    self.transaction = transaction
    self.user = user
  }

  package enum Outcome: String, CaseIterable, Sendable {
    /// The records did not name the owner yet.
    case new
    /// An earlier row named the same owner.
    case known
    /// An earlier row names another owner, and stays valid.
    case conflict
  }

  /// What an import of the row would do now.
  package func outcome(in appEnvironment: AppEnvironment, _ reader: any DatabaseReader) throws -> Outcome {
    let named = try keys(in: appEnvironment).map { try reader.importedOwner($0)?.user }
    if named.contains(where: { $0 != nil && $0 != user }) { return .conflict }
    return named.allSatisfy { $0 == user } ? .known : .new
  }

  /// The transactions that the row names, each once.
  func keys(in appEnvironment: AppEnvironment) -> [PaymentKey] {
    let ids = originalTransaction.map { $0 == transaction ? [$0] : [transaction, $0] } ?? [transaction]
    return ids.map {
      PaymentKey(app: appEnvironment.app, store: .appStore, environment: appEnvironment.environment, transaction: $0)
    }
  }
}

extension PaymentEngine {
  // MARK: earlier deliveries

  /// Begins to load the earlier system's list of deliveries. The list decides nothing until `endEarlierDeliveries`. A
  /// partial list would give wrong answers for transactions that it does not contain yet.
  ///
  /// - Returns: the time up to which the list was complete before.
  package func beginEarlierDeliveries(in appEnvironment: AppEnvironment) async throws -> Timestamp? {
    try await transact { transaction in
      let reach = try transaction.earlierListReach(at: .appStore, in: appEnvironment)
      try transaction.setEarlierListReach(nil, at: .appStore, in: appEnvironment)
      return reach
    }
  }

  /// Adds transactions to the list; returns how many were new.
  package func importEarlierDeliveries(
    _ transactions: [TransactionIdentifier], in appEnvironment: AppEnvironment
  ) async throws -> Int {
    let unique = Set(transactions).sorted()
    return try await transact { transaction in
      let new = try unique.filter {
        let key = PaymentKey(
          app: appEnvironment.app, store: .appStore, environment: appEnvironment.environment, transaction: $0)
        return try !transaction.isEarlierDelivery(key)
      }
      try transaction.noteEarlierDeliveries(new, at: .appStore, in: appEnvironment)
      return new.count
    }
  }

  /// Ends the loading: the list names every delivery until that time.
  package func endEarlierDeliveries(reach: Timestamp, in appEnvironment: AppEnvironment) async throws {
    try await transact { transaction in
      try transaction.setEarlierListReach(reach, at: .appStore, in: appEnvironment)
      try transaction.insert(
        JournalEntry(
          .deliveryImported, in: appEnvironment, at: transaction.now, order: nil, payment: nil,
          details: JSONValue.members([("reach", .string(reach.iso8601))]).text))
    }
  }

  /// Decides again about payments held because it was unknown whether the earlier system delivered them; returns how
  /// many changed.
  package func reconsiderHeldPayments(in appEnvironment: AppEnvironment, for app: AppPolicy) async throws -> Int {
    let held = try await read { [limit = limits.reconsideredAtOnce] reader in
      try reader.payments(
        inState: "held", firstSeenBefore: Timestamp(milliseconds: .max), in: appEnvironment, limit: limit)
    }
    var moved = 0
    for payment in held where payment.state == .held(.boughtBeforeCutOver) {
      if try await reconsider(payment, for: app).changed { moved += 1 }
    }
    return moved
  }

  // MARK: earlier owners

  /// Stores the owners of transactions from the earlier system's records; the first row stays valid.
  package func importOwners(
    _ purchases: [EarlierPurchase], in appEnvironment: AppEnvironment
  ) async throws -> [EarlierPurchase.Outcome] {
    try await transact { transaction in
      try purchases.map { purchase in
        let outcome = try purchase.outcome(in: appEnvironment, transaction)
        guard outcome == .new else { return outcome }
        for key in purchase.keys(in: appEnvironment) where try transaction.importedOwner(key) == nil {
          try transaction.insert(
            ImportedOwner(
              transaction: key, user: purchase.user, product: purchase.product, importedAt: transaction.now))
        }
        return outcome
      }
    }
  }

  /// Schedules a question to Apple about each unknown transaction. Apple's signed answer shows whether it was bought.
  /// The questions are spread out from the given time on, so that they do not delay questions about live purchases.
  ///
  /// - Returns: the number of new questions.
  package func askAboutImported(
    _ purchases: [EarlierPurchase], in appEnvironment: AppEnvironment, from first: Timestamp
  ) async throws -> Int {
    let pause = limits.importedQuestionPause
    return try await transact { transaction in
      var asked = 0
      for purchase in purchases {
        guard let key = purchase.keys(in: appEnvironment).first, try transaction.payment(key) == nil,
          try transaction.duplicate(key) == nil, try transaction.appStoreTask(.ask, about: key) == nil
        else { continue }
        // `appStoreAnswerSpan` counts from this time.
        let due = first + .milliseconds(pause.milliseconds * Int64(asked))
        try transaction.put(AppStoreTask(payment: key, purpose: .ask, createdAt: due, dueAt: due))
        asked += 1
      }
      return asked
    }
  }

  /// Assigns imported owners to payments that arrived before the import; returns how many got an owner.
  package func adoptImportedOwners(
    _ purchases: [EarlierPurchase], in appEnvironment: AppEnvironment, for app: AppPolicy
  ) async throws -> Int {
    let waiting = try await read { reader in
      var waiting: [PaymentKey: Payment] = [:]
      for key in Set(purchases.flatMap { $0.keys(in: appEnvironment) }).sorted() {
        let named = try reader.payment(key).map { [$0] } ?? []
        for payment in try named + reader.payments(ofOriginal: key) where payment.awaitsOwner {
          waiting[payment.key] = payment
        }
      }
      return waiting.values.sorted { ($0.facts.purchaseDate, $0.key) < ($1.facts.purchaseDate, $1.key) }
    }
    var adopted = 0
    for payment in waiting {
      if try await reconsider(payment, for: app).payment.owner != nil { adopted += 1 }
    }
    return adopted
  }

  /// Decides again about a payment. The store has sent no new data: the evidence is the operator's import.
  private func reconsider(_ payment: Payment, for app: AppPolicy) async throws -> FulfilmentResult {
    let evidence = JSONValue.members([("import", "earlier system")]).text
    return try await fulfil(PaymentUpdate(facts: payment.facts, evidence: evidence, origin: .operator), for: app)
  }
}
